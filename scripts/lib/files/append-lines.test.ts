// Tests appending to a file of lines: only missing lines are added, and existing ones are never lost.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { acquireLock } from '../../../server/src/embedded/process-lock.ts';
import { appendLines } from './append-lines.ts';

const directory = mkdtempSync(join(tmpdir(), 'append-lines-'));
const file = join(directory, 'out.jsonl');
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => rmSync(file, { force: true }));

const COMPLETE = '{"n":"ä"}\n{"n":2}\n{"n":3}\n';
async function* chunks() {
  await Promise.resolve();
  yield COMPLETE.slice(0, 10);
  yield COMPLETE.slice(10);
}

it.each([
  ['nothing, not even a file', null, 3],
  ['nothing', '', 3],
  ['a whole line', COMPLETE.slice(0, 10), 2],
  ['a line and a half', COMPLETE.slice(0, 14), 2],
  ['everything', COMPLETE, 0],
])('LX2: a file with %s is completed', async (_, had, added) => {
  if (had !== null) writeFileSync(file, had);
  expect(await appendLines(file, chunks())).toBe(added);
  expect(readFileSync(file, 'utf8')).toBe(COMPLETE);
});

it('LX2: half a character at its end is completed', async () => {
  const half = Buffer.from(COMPLETE).subarray(0, 7);
  writeFileSync(file, half);
  await appendLines(file, chunks());
  expect(readFileSync(file, 'utf8')).toBe(COMPLETE);
});

it.each([
  ['another export', '{"messages":[]}\n'],
  ['something without an end', '{"precious": true}'],
  ['more than there is', `${COMPLETE}{"n":4}\n`],
])('a file with %s is refused and left unchanged', async (_, had) => {
  writeFileSync(file, had);
  await expect(appendLines(file, chunks())).rejects.toThrow('does not begin like this export');
  expect(readFileSync(file, 'utf8')).toBe(had);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

it('a file that another run writes is left unchanged, and a folder is refused', async () => {
  const lock = acquireLock(`${file}.lock`);
  await expect(appendLines(file, chunks())).rejects.toThrow(`Another run writes ${file}: process ${process.pid}`);
  expect(existsSync(file)).toBe(false);
  if ('release' in lock) lock.release();
  await expect(appendLines(directory, chunks())).rejects.toThrow('cannot be written');
  await expect(appendLines(join(directory, 'no', 'folder'), chunks())).rejects.toThrow('cannot be written');
});

it.each([
  ['a process that is gone', '{"pid":4194304,"born":"1"}'],
  ['an older version', ''],
])('the lock of %s is taken over', async (_, left) => {
  writeFileSync(`${file}.lock`, left);
  expect(await appendLines(file, chunks())).toBe(3);
  expect(existsSync(`${file}.lock`)).toBe(false);
});
