// Tests the folder of the socket: private, short enough for a path, removed after its process was killed.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseIdentity } from './identity.ts';
import { makePrivateFolder, removeLastPrivateFolder } from './private-folder.ts';

const made: string[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'countersign-private-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const path of [...made.splice(0), folder]) rmSync(path, { recursive: true, force: true });
});

const withFolder = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
};

const make = (): string => {
  const path = makePrivateFolder(chooseIdentity(undefined));
  made.push(path);
  return path;
};

describe.runIf(process.platform !== 'win32')('EM1: the folder of the socket', () => {
  it('creates a folder that only its owner may enter', () => {
    expect(statSync(make()).mode & 0o777).toBe(0o700);
  });

  it('creates the folder in TMPDIR, under its resolved path', () => {
    vi.stubEnv('TMPDIR', '.');
    const path = make();
    expect(dirname(path)).toBe(process.cwd());
  });

  it.each([
    ['too long for a socket', () => withFolder('x'.repeat(200))],
    ['nonexistent', () => join(folder, 'missing')],
    ['with a comma, which separates folders in the setting', () => withFolder('a, b')],
    ['with a quote, which delimits the setting in postmaster.opts', () => withFolder('a"b')],
    ['with a line break, which ends the setting in postmaster.pid', () => withFolder('a\nb')],
  ])('creates the folder elsewhere when TMPDIR is %s', (_, place) => {
    const unusable = place();
    vi.stubEnv('TMPDIR', unusable);
    const path = make();
    expect(dirname(path)).not.toBe(unusable);
    expect(`${path}/.s.PGSQL.5432`.length).toBeLessThanOrEqual(103);
  });

  it('removes the folder of the last run, found in postmaster.opts, and no similarly named one', () => {
    const old = join(folder, 'countersign-Ab12Cd');
    mkdirSync(join(old, 'lib'), { recursive: true });
    const opts = (path: string) =>
      `/usr/bin/postgres "-D" "/data" "-c" "unix_socket_directories=${path}" "-c" "port=5432"\n`;
    for (const other of [folder, join(old, 'lib'), '/tmp', '']) {
      writeFileSync(join(folder, 'postmaster.opts'), opts(other));
      removeLastPrivateFolder(folder);
    }
    expect(existsSync(join(old, 'lib'))).toBe(true);
    writeFileSync(join(folder, 'postmaster.opts'), opts(old));
    removeLastPrivateFolder(folder);
    expect(existsSync(old)).toBe(false);
    removeLastPrivateFolder(join(folder, 'new'));
  });

  it('leaves the folder that a copied postmaster.opts names while a process uses it, of ours or of PostgreSQL', () => {
    const opts = (path: string) =>
      writeFileSync(join(folder, 'postmaster.opts'), `postgres "-c" "unix_socket_directories=${path}"\n`);
    // Our process has it, and PostgreSQL has not started or is being restarted.
    const ours = make();
    opts(ours);
    removeLastPrivateFolder(folder);
    expect(existsSync(ours)).toBe(true);
    // An earlier version has started this one, without a lock of its own.
    const earlier = join(folder, 'countersign-Ab12Cd');
    const lock = join(earlier, '.s.PGSQL.5432.lock');
    mkdirSync(earlier);
    opts(earlier);
    writeFileSync(lock, `${process.pid}\n/data/postgres\n1\n5432\n${earlier}\n`);
    removeLastPrivateFolder(folder);
    expect(existsSync(earlier)).toBe(true);
    writeFileSync(lock, `${2 ** 22 + 1}\n/data/postgres\n1\n5432\n${earlier}\n`);
    removeLastPrivateFolder(folder);
    expect(existsSync(earlier)).toBe(false);
  });
});
