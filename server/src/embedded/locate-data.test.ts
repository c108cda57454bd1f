// Where the data of a DATA_DIR is: inside it, or where a file in it says, also after the folder was renamed.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedError } from './embedded-error.ts';
import { fallbackDataFolder, locateData, makeFallbackFolder, otherData, storeLocation } from './locate-data.ts';

let base: string;
let folder: string;
let fallback: string;
let inside: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'countersign-locate-'));
  [folder, fallback] = [join(base, 'data'), join(base, 'apart')];
  inside = join(folder, 'postgres');
  mkdirSync(folder);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(data: string): string {
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'PG_VERSION'), '18\n');
  return data;
}

/** A database in the fallback folder, which DATA_DIR names. */
function elsewhere(): string {
  const data = write(fallbackDataFolder(folder, fallback));
  storeLocation(folder, data);
  return data;
}

function expectRefusal(at: string, sentence: string): void {
  const before = readdirSync(base, { recursive: true });
  const locate = () => locateData(at, fallback);
  expect(locate).toThrow(EmbeddedError);
  expect(locate).toThrow(`${sentence} Nothing was changed.`);
  expect(readdirSync(base, { recursive: true })).toEqual(before);
}

describe('EM7: the data of DATA_DIR', () => {
  it('is inside it, and without data there where an earlier version placed it, which wrote no file', () => {
    expect(locateData(folder, fallback)).toBe(inside);
    const other = write(fallbackDataFolder(folder, fallback));
    expect(locateData(folder, fallback)).toBe(other);
    // Such as a volume mounted for it.
    mkdirSync(inside);
    expect(locateData(folder, fallback)).toBe(other);
    write(inside);
    expect(locateData(folder, fallback)).toBe(inside);
    expect(otherData(folder, fallback)).toBe(other);
  });

  it('is found after DATA_DIR or a folder above it was renamed, more than once', () => {
    const data = elsewhere();
    const renamed = join(base, 'renamed');
    renameSync(folder, renamed);
    expect(locateData(renamed, fallback)).toBe(data);
    storeLocation(renamed, data);
    expect(locateData(renamed, fallback)).toBe(data);
    renameSync(renamed, folder);
    expect(locateData(folder, fallback)).toBe(data);
  });

  it('is not that of a renamed DATA_DIR for a new folder at its old path, nor in one place with it', () => {
    const data = elsewhere();
    const renamed = join(base, 'renamed');
    renameSync(folder, renamed);
    storeLocation(renamed, data);
    mkdirSync(folder);
    expect([locateData(folder, fallback), otherData(folder, fallback)]).toEqual([inside, undefined]);
    const own = write(makeFallbackFolder(folder, fallback));
    expect(own).not.toBe(data);
    storeLocation(folder, own);
    expect([locateData(folder, fallback), locateData(renamed, fallback)]).toEqual([own, data]);
  });

  it('is empty for a new folder at the path of one that was renamed or removed', () => {
    const data = elsewhere();
    const renamed = join(base, 'renamed');
    renameSync(folder, renamed);
    mkdirSync(folder);
    expect(locateData(folder, fallback)).toBe(inside);
    const own = write(makeFallbackFolder(folder, fallback));
    storeLocation(folder, own);
    expect(new Set([locateData(folder, fallback), locateData(renamed, fallback), own])).toEqual(new Set([own, data]));
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(locateData(folder, fallback)).toBe(inside);
    expect([own, data]).not.toContain(makeFallbackFolder(folder, fallback));
  });

  it('is that of one of two folders when a copy is put at the path before a rename', () => {
    const data = elsewhere();
    const renamed = join(base, 'renamed');
    renameSync(folder, renamed);
    cpSync(renamed, folder, { recursive: true });
    storeLocation(renamed, data);
    expectRefusal(
      folder,
      `The database in ${data} is that of ${renamed}: choose another DATA_DIR, or, if that folder no longer exists and ${folder} replaces it, remove ${dirname(data)}/postgres.owner.`,
    );
  });

  it('is found after its folder was restored from a backup, and when the file of the owner is missing', () => {
    const data = elsewhere();
    cpSync(folder, join(base, 'backup'), { recursive: true });
    rmSync(folder, { recursive: true });
    cpSync(join(base, 'backup'), folder, { recursive: true });
    expect(locateData(folder, fallback)).toBe(data);
    rmSync(join(dirname(data), 'postgres.owner'));
    expect(locateData(folder, fallback)).toBe(data);
  });

  it('is refused when it is not where the file says', () => {
    const data = elsewhere();
    renameSync(data, join(base, 'away'));
    expectRefusal(
      folder,
      `The database of ${folder} (DATA_DIR) was in ${data} and is not there: restore it, or, to start with an empty database, remove ${folder}/postgres.location.`,
    );
    // Moved into DATA_DIR, it is used there.
    renameSync(join(base, 'away'), inside);
    expect(locateData(folder, fallback)).toBe(inside);
  });

  it('is refused when there is data in both places', () => {
    const data = elsewhere();
    write(inside);
    expectRefusal(
      folder,
      `There are two databases of ${folder} (DATA_DIR), in ${inside} and in ${data}: move the one away that is not to be used.`,
    );
  });

  it('is not taken from the original by a copy of DATA_DIR', () => {
    const data = elsewhere();
    const copy = join(base, 'copy');
    cpSync(folder, copy, { recursive: true });
    expectRefusal(
      copy,
      `The folder ${copy} (DATA_DIR) is a copy of ${folder}, whose database is in ${data}: copy that to ${copy}/postgres, and remove ${copy}/postgres.location.`,
    );
    write(join(copy, 'postgres'));
    expect(locateData(copy, fallback)).toBe(join(copy, 'postgres'));
  });

  it.each(['', '{', 'null', '{"data":1}', '{"data":"/x"}'])('is refused when the file is invalid: %s', (content) => {
    writeFileSync(join(folder, 'postgres.location'), content);
    const locate = () => locateData(folder, fallback);
    expect(locate).toThrow(EmbeddedError);
    expect(locate).toThrow(/postgres\.location, which names the folder of the database, cannot be read \(.*\): .*\.$/);
  });

  it('has no file when it is inside', () => {
    storeLocation(folder, write(inside));
    expect(readdirSync(folder)).toEqual(['postgres']);
  });
});

describe.skipIf(process.getuid === undefined || process.getuid() === 0)(
  'EM7: folders that this user may not enter (not as root, who may enter any)',
  () => {
    const closed: string[] = [];
    const close = (path: string): void => void (chmodSync(path, 0), closed.push(path));
    afterEach(() => closed.splice(0).forEach((path) => chmodSync(path, 0o700)));

    it('count as data', () => {
      const other = write(fallbackDataFolder(folder, fallback));
      close(other);
      expect(locateData(folder, fallback)).toBe(other);
    });

    it('count as data that the file names, and as none when nothing names them', () => {
      const data = elsewhere();
      close(fallback);
      expect(locateData(folder, fallback)).toBe(data);
      rmSync(join(folder, 'postgres.location'));
      expect(locateData(folder, fallback)).toBe(inside);
    });
  },
);
