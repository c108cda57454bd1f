// The library links that npm does not package, and the copy of the programs for a user without access to node_modules.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Binaries, copyBinaries, findBinaries, libraryEnv, linkLibraries, programOf } from './binaries.ts';
import { EmbeddedError } from './embedded-error.ts';

let folder: string;
let binaries: Binaries;

/** A package as npm unpacks it: a library under its full name, and the list of its required links. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-binaries-'));
  const native = join(folder, 'package/native');
  for (const name of ['bin', 'lib']) mkdirSync(join(native, name), { recursive: true });
  writeFileSync(join(native, 'bin/postgres'), '', { mode: 0o755 });
  writeFileSync(join(native, 'lib/libpq.so.5.18'), 'library');
  const links = ['libpq.so', 'libpq.so.5'].map((name) => {
    return { source: 'native/lib/libpq.so.5.18', target: `native/lib/${name}` };
  });
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  binaries = { native, version: '18.4.0' };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const libraries = () => readdirSync(join(binaries.native, 'lib')).sort();

describe('the library links', () => {
  it('are created next to the libraries when they are missing', () => {
    expect(linkLibraries(binaries, join(folder, 'private'))).toEqual(binaries);
    expect(libraries()).toEqual(['libpq.so', 'libpq.so.5', 'libpq.so.5.18']);
    expect(readlinkSync(join(binaries.native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18');
    expect(libraryEnv(binaries)).toEqual({});
    expect(existsSync(join(folder, 'private'))).toBe(false);
  });

  it('are replaced when they point to a library of another version', () => {
    symlinkSync('libpq.so.5.17', join(binaries.native, 'lib/libpq.so.5'));
    linkLibraries(binaries, join(folder, 'private'));
    expect(readlinkSync(join(binaries.native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18');
    expect(libraries()).toHaveLength(3);
  });

  it('stay unchanged when they are complete', () => {
    linkLibraries(binaries, join(folder, 'private'));
    const before = lstatSync(join(binaries.native, 'lib/libpq.so')).ino;
    linkLibraries(binaries, join(folder, 'private'));
    expect(lstatSync(join(binaries.native, 'lib/libpq.so')).ino).toBe(before);
  });

  it('are created in a private folder when the package is not writable', () => {
    // Root may write everywhere, so a folder in place of a link stops it.
    mkdirSync(join(binaries.native, `lib/libpq.so.${process.pid}`));
    const linked = linkLibraries(binaries, join(folder, 'private'));
    expect(linked.linkFolder).toBe(join(folder, 'private'));
    expect(readlinkSync(join(folder, 'private/libpq.so.5'))).toBe(join(binaries.native, 'lib/libpq.so.5.18'));
    expect(Object.values(libraryEnv(linked))).toEqual([`${join(folder, 'private')}:${join(binaries.native, 'lib')}`]);
  });
});

describe('the copy of the programs', () => {
  it('is created once per version, with its links, and readable for all regardless of the umask', () => {
    const umask = process.umask(0o077);
    const copy = copyBinaries(binaries, join(folder, 'cache'));
    process.umask(umask);
    expect(programOf(copy, 'postgres')).toBe(join(folder, 'cache/postgresql-18.4.0/native/bin/postgres'));
    for (const path of [join(folder, 'cache'), join(copy.native, '..'), copy.native, programOf(copy, 'postgres')])
      expect(statSync(path).mode & 0o755, path).toBe(0o755);
    expect(readlinkSync(join(copy.native, 'lib/libpq.so'))).toBe('libpq.so.5.18');
    const { ino } = statSync(copy.native);
    expect(statSync(copyBinaries(binaries, join(folder, 'cache')).native).ino).toBe(ino);
    copyBinaries({ ...binaries, version: '18.5.0' }, join(folder, 'cache'));
    expect(readdirSync(join(folder, 'cache'))).toEqual(['postgresql-18.4.0', 'postgresql-18.5.0']);
  });

  it.runIf(process.getuid !== undefined)('is refused when others can write to it', () => {
    const copy = copyBinaries(binaries, join(folder, 'cache'));
    chmodSync(join(copy.native, '..'), 0o777);
    expect(() => copyBinaries(binaries, join(folder, 'cache'))).toThrow(
      /^Other users can write to the folder .*: remove it/,
    );
  });

  it('reports what to do when there is no place for it, and leaves nothing behind', () => {
    writeFileSync(join(folder, 'cache'), '');
    expect(() => copyBinaries(binaries, join(folder, 'cache'))).toThrow(EmbeddedError);
    expect(() => copyBinaries(binaries, join(folder, 'cache'))).toThrow(/set DATABASE_URL\.$/);
    expect(readdirSync(folder).sort()).toEqual(['cache', 'package']);
  });
});

describe('the package of this machine', () => {
  it('has the major version that data folders are checked against', () => {
    expect(findBinaries().version).toMatch(/^18\./);
  });

  it('is reported missing when there is none for the machine', () => {
    vi.spyOn(process, 'arch', 'get').mockReturnValue('mips');
    expect(() => findBinaries()).toThrow(/^There is no embedded PostgreSQL for \w+-mips: set DATABASE_URL/);
    vi.restoreAllMocks();
  });
});
