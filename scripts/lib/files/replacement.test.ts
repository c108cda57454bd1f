// Tests that a file is replaced as a whole, or stays, and that a file that cannot be written is known beforehand.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileFault } from './append-lines.ts';
import { openReplacement } from './replacement.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replacement-'));
  file = join(folder, 'cases.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function* lines(failure?: Error) {
  yield await Promise.resolve('one\n');
  if (failure) throw failure;
  yield 'two\n';
}

describe('a replacement of a file', () => {
  it('takes its place when it is complete', async () => {
    writeFileSync(file, 'old');
    const replacement = await openReplacement(file);
    expect(readFileSync(file, 'utf8')).toBe('old');
    await replacement.fill(lines());
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    expect(readdirSync(folder)).toEqual(['cases.jsonl']);
  });

  it('leaves the file alone and nothing behind when it is discarded, before or after a failure', async () => {
    writeFileSync(file, 'old');
    await (await openReplacement(file)).discard();
    const failed = await openReplacement(file);
    await expect(failed.fill(lines(new Error('The service is gone.')))).rejects.toThrow('The service is gone.');
    await failed.discard();
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['cases.jsonl']);
  });

  it('is refused where the file cannot be written', async () => {
    mkdirSync(file);
    await expect(openReplacement(file)).rejects.toThrow(new FileFault(`${file} cannot be written: it is a directory`));
    expect(existsSync(`${file}.part`)).toBe(false);
    const nowhere = join(folder, 'missing', 'cases.jsonl');
    await expect(openReplacement(nowhere)).rejects.toThrow(FileFault);
    await expect(openReplacement(nowhere)).rejects.toThrow(`${nowhere} cannot be written: ENOENT`);
  });
});
