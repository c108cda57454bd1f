// Set up for every test file that starts servers or logs: a file whose logs hold a secret fails (K7).
import { afterAll, expect } from 'vitest';
import { logWatch, resetLogWatch } from './log-watch.ts';

resetLogWatch();

// Hooks that are there first run last: every server of the file has ended by then, and written its last line.
afterAll(() => {
  expect(logWatch.found(), 'No log may hold any of these (K7)').toEqual([]);
});
