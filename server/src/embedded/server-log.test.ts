// The log of the embedded PostgreSQL: the last lines of a run, and rotation.
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServerLog, type ServerLog } from './server-log.ts';

let folder: string;
let log: ServerLog;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
  log = openServerLog(join(folder, 'postgres.log'), 1000);
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true, force: true });
});

it('returns the last twelve lines of this run, and none of the previous run', () => {
  log.add('before');
  log.begin();
  expect(log.lastLines()).toBe('');
  for (let n = 1; n <= 20; n += 1) writeSync(log.descriptor, `line ${n}\n`);
  const lines = log.lastLines().split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([12, 'line 9', 'line 20']);
});

it('starts a new file for a run when the old one is large, and retains one old file', () => {
  for (const text of ['a', 'b']) {
    log.add(text.repeat(1001));
    log.begin();
  }
  log.add('c');
  expect(readFileSync(log.path, 'utf8')).toBe('c\n');
  expect(readFileSync(`${log.path}.1`, 'utf8')).toBe(`${'b'.repeat(1001)}\n`);
  expect(log.lastLines()).toBe('c');
});

it('returns the last lines of a very long run, and of a file that was moved away', () => {
  log.begin();
  log.add('x'.repeat(100_000));
  log.add('the end');
  renameSync(log.path, `${log.path}.moved`);
  expect(log.lastLines().split('\n').at(-1)).toBe('the end');
});

it.runIf(process.platform !== 'win32')('is readable by its owner only', () => {
  expect(statSync(log.path).mode & 0o777).toBe(0o600);
});
