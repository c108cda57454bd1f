// Tests the position of `npm run listen` on disk: saved as a whole, or an error that names the file.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ListenError } from './listen.ts';
import { loadPosition, positionFile, savePosition } from './listen-position.ts';

const folder = mkdtempSync(join(tmpdir(), 'listen-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const aFile = () => join(folder, String((files += 1)), 'position.json');
function written(content: string): string {
  const file = aFile();
  mkdirSync(dirname(file));
  writeFileSync(file, content);
  return file;
}

describe('the position of npm run listen', () => {
  it('is read as it was saved, and is none before that', async () => {
    const file = aFile();
    expect(await loadPosition(file)).toBeNull();
    for (const position of [
      { after: null, done: null },
      { after: 'cursor', done: 'evt_1' },
    ]) {
      await savePosition(file, position);
      expect(await loadPosition(file)).toEqual(position);
    }
    expect(readdirSync(dirname(file))).toEqual(['position.json']);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it.each(['', '{', 'null', '[]', '{}', '{"after":1,"done":null}', '{"after":null,"done":2}'])(
    'is refused with the name of the file when that contains %j',
    async (content) => {
      const file = written(content);
      await expect(loadPosition(file)).rejects.toThrow(ListenError);
      await expect(loadPosition(file)).rejects.toThrow(file);
    },
  );

  it('is refused with the name of what cannot be read or written', async () => {
    const file = aFile();
    mkdirSync(file, { recursive: true });
    await expect(loadPosition(file)).rejects.toThrow(new RegExp(`${file}.*EISDIR`));
    await expect(savePosition(file, { after: null, done: null })).rejects.toThrow(ListenError);
    const below = join(written(''), 'position.json');
    await expect(savePosition(below, { after: null, done: null })).rejects.toThrow(new RegExp(`${dirname(below)}.*`));
  });

  it('has a file for each key and target, whose name tells neither', () => {
    const file = positionFile('http://service.test', 'csk_1', 'http://localhost:1/');
    expect(file).not.toMatch(/csk_1|localhost/);
    expect(positionFile('http://service.test', 'csk_2', 'http://localhost:1/')).not.toBe(file);
  });
});
