// Setup of every test file that starts servers or logs: fails a file whose logs contain a secret (K7).
import { afterAll, expect } from 'vitest';
import { logWatch, resetLogWatch } from './log-watch.ts';

resetLogWatch();

// Hooks registered first run last: every server of the file has ended by then, and written its last line.
afterAll(() => {
  expect(logWatch.found(), 'No log may hold any of these (K7)').toEqual([]);
});
