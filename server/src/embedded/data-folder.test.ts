// Which data folders are used, which are refused and left unchanged, and that a partial database never remains.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInitialised, createDatabase, ownerOf, refuseForeign } from './data-folder.ts';
import { EmbeddedError } from './embedded-error.ts';
import { locateData } from './locate-data.ts';

let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-data-'));
  data = join(folder, 'postgres');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A database as seen from outside. `float8ByValue` is 0 for PGlite, which is a 32-bit build. */
function write(at: string, { version = '18', float8ByValue = 1 } = {}): void {
  mkdirSync(join(at, 'global'), { recursive: true });
  writeFileSync(join(at, 'PG_VERSION'), `${version}\n`);
  const control = Buffer.alloc(8192);
  control.writeUInt32LE(1800, 8);
  control[248] = float8ByValue;
  writeFileSync(join(at, 'global/pg_control'), control);
}

/** Every file below `folder` with its content. */
const contents = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, existsSync(path) && !isFolder(path) ? readFileSync(path, 'base64') : null]);
const isFolder = (path: string) =>
  readdirSync(dirname(path), { withFileTypes: true }).some(
    (one) => join(dirname(path), one.name) === path && one.isDirectory(),
  );

const REFUSED: Record<string, [() => void, RegExp]> = {
  'of PostgreSQL 17': [
    () => write(data, { version: '17' }),
    /belongs to PostgreSQL 17, and this is PostgreSQL 18\. Dump it/,
  ],
  'of PostgreSQL 19': [
    () => write(data, { version: '19' }),
    /belongs to PostgreSQL 19, and this is PostgreSQL 18\. Dump it/,
  ],
  'of PGlite at its old location': [
    () => write(join(folder, 'database'), { float8ByValue: 0 }),
    /database was created by PGlite.* move it away.*docs\/OPERATIONS\.md\.$/,
  ],
  'of PGlite': [
    () => write(data, { float8ByValue: 0 }),
    /postgres was created by PGlite.* move it away.*docs\/OPERATIONS\.md\.$/,
  ],
  'with other files in it': [
    () => (mkdirSync(data), writeFileSync(join(data, 'thesis.txt'), 'all of it')),
    /contains something that is not a PostgreSQL database: move it away, or choose another DATA_DIR\.$/,
  ],
  'that is a file': [() => writeFileSync(data, 'x'), /is not a PostgreSQL database: move it away/],
  'that is a broken link': [() => symlinkSync('/nonexistent/disk', data), /is broken: mount the disk/],
};

describe('EM3: a data folder', () => {
  it.each(Object.entries(REFUSED))(
    '%s is refused in a sentence that says what to do, and left unchanged',
    (_, [make, says]) => {
      make();
      const before = contents();
      const refuse = () => refuseForeign(folder, locateData(folder, join(folder, 'apart')));
      expect(refuse).toThrow(EmbeddedError);
      expect(refuse).toThrow(says);
      expect(contents()).toEqual(before);
    },
  );

  it.each([
    ['that does not exist', () => undefined],
    ['that is empty', () => mkdirSync(data)],
    ['of this version', () => write(data)],
    [
      'of this version next to one of PGlite',
      () => (write(data), write(join(folder, 'database'), { float8ByValue: 0 })),
    ],
  ])('a data folder %s is accepted', (_, make) => {
    make();
    refuseForeign(folder, data);
  });

  it.runIf(process.getuid !== undefined)('has an owner as soon as it is not empty', () => {
    mkdirSync(data);
    expect(ownerOf(data)).toBeUndefined();
    write(data);
    expect(ownerOf(data)).toEqual({ uid: process.getuid?.(), gid: process.getgid?.() });
  });
});

describe('EM3: a new database', () => {
  /** The path of a draft as a start on `at` leaves it when it is killed. */
  async function draftOf(at: string): Promise<string> {
    let path = '';
    const killed = createDatabase(at, join(at, 'postgres'), async (draft) => {
      path = draft;
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    return path;
  }

  it('appears only when it is complete, also in place of an empty folder, and old drafts are removed', async () => {
    mkdirSync(data);
    mkdirSync(join(await draftOf(folder), 'base'), { recursive: true });
    await createDatabase(folder, data, async (draft) => {
      expect(readdirSync(folder).sort()).toEqual([basename(draft), 'postgres']);
      write(draft);
      expect(isInitialised(data)).toBe(false);
    });
    expect(isInitialised(data)).toBe(true);
    expect(readdirSync(folder)).toEqual(['postgres']);
  });

  it('is created on the disk that a link names, which stays, next to what belongs to others', async () => {
    const [disk, target] = [join(folder, 'disk'), join(folder, 'disk/big')];
    mkdirSync(target, { recursive: true });
    const another = join(folder, 'another');
    mkdirSync(another);
    for (const from of [folder, another]) symlinkSync(target, join(from, 'postgres'));
    const [own, theirs] = [await draftOf(folder), await draftOf(another)];
    for (const path of [own, theirs, join(disk, 'big-new-backup')]) mkdirSync(path);
    refuseForeign(folder, data);
    await createDatabase(folder, data, async (draft) => {
      expect(dirname(draft)).toBe(realpathSync(disk));
      write(draft);
    });
    expect(readlinkSync(data)).toBe(target);
    expect(isInitialised(target)).toBe(true);
    expect(readdirSync(disk).sort()).toEqual([basename(theirs), 'big', 'big-new-backup']);
    expect(readdirSync(folder).sort()).toEqual(['another', 'disk', 'postgres']);
  });

  it('never replaces a folder that is not empty', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'thesis.txt'), 'all of it');
    await expect(createDatabase(folder, data, async (draft) => write(draft))).rejects.toThrow('ENOTEMPTY');
    expect(readdirSync(folder)).toEqual(['postgres']);
    expect(readdirSync(data)).toEqual(['thesis.txt']);
  });

  it('a new database that fails halfway leaves nothing behind', async () => {
    const failing = createDatabase(folder, data, async (draft) => {
      write(draft);
      throw new Error('no space left on device');
    });
    await expect(failing).rejects.toThrow('no space left');
    expect(readdirSync(folder)).toEqual([]);
  });
});
