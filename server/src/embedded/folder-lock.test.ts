// Tests the lock of a data folder: a second process is refused, and the lock of a killed one is taken over.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildServices } from '../build-services.ts';
import { readConfig } from '../config.ts';
import { FolderInUse, lockFolder } from './folder-lock.ts';

const MODULE = join(import.meta.dirname, './folder-lock.ts');
/** Locks the folder on request, reports the result, and stays alive. */
const OTHER = `
import { lockFolder } from ${JSON.stringify(MODULE)};
process.on('disconnect', () => process.exit());
process.on('message', (folder) => {
  try { lockFolder(folder); process.send('taken'); } catch (error) { process.send(error.message); }
});
process.send('ready');`;

type Three = [string, string, string];

const others: ChildProcess[] = [];
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-folder-'));
  path = join(folder, 'countersign.lock');
});
afterEach(async () => {
  for (const other of others.splice(0)) await kill(other);
  rmSync(folder, { recursive: true, force: true });
});

async function anotherProcess(): Promise<ChildProcess> {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', OTHER], { stdio: [...stdio] });
  others.push(other);
  await once(other, 'message');
  return other;
}

/** Lets another process lock the folder: `taken`, or the message of the refusal. */
async function take(other: ChildProcess, at = folder): Promise<string> {
  const said = once(other, 'message');
  other.send(at);
  return String((await said)[0]);
}

async function kill(other: ChildProcess): Promise<void> {
  if (other.exitCode !== null || other.signalCode !== null) return;
  const gone = once(other, 'exit');
  other.kill('SIGKILL');
  await gone;
}

describe('EM2: the lock of a data folder', () => {
  it('refuses a second process with one sentence that says what to do, until the first has released it', async () => {
    const release = lockFolder(folder);
    const other = await anotherProcess();
    const said = await take(other);
    expect(said).toMatch(
      new RegExp(`^The data folder ${folder} is in use by process ${process.pid}: .*DATABASE_URL.*\\.$`),
    );
    release();
    expect(existsSync(path)).toBe(false);
    expect(await take(other)).toBe('taken');
  });

  it('refuses a second lock of the same process', () => {
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(FolderInUse);
    release();
    lockFolder(folder)();
  });

  it('is taken over from a killed process', async () => {
    const other = await anotherProcess();
    expect(await take(other)).toBe('taken');
    expect(() => lockFolder(folder)).toThrow(FolderInUse);
    await kill(other);
    expect(existsSync(path)).toBe(true);
    lockFolder(folder)();
  });

  it('is taken over when the PID now belongs to a later process', async () => {
    const other = await anotherProcess();
    writeFileSync(path, JSON.stringify({ pid: other.pid, born: '1' }));
    const release = lockFolder(folder);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    release();
  });

  it('holds after the folder was renamed or linked, and not in a copy of it', async () => {
    const [original, renamed, copy] = ['original', 'renamed', 'copy'].map((name) => join(folder, name)) as Three;
    const other = await anotherProcess();
    expect(await take(other, original)).toBe('taken');
    cpSync(original, copy, { recursive: true });
    lockFolder(copy)();
    renameSync(original, renamed);
    expect(() => lockFolder(renamed)).toThrow(FolderInUse);
    symlinkSync(renamed, original);
    expect(() => lockFolder(original)).toThrow(FolderInUse);
    await kill(other);
    lockFolder(renamed)();
  });

  it('is not released by a process whose folder was renamed when another folder is at its path now', async () => {
    const [original, renamed] = [join(folder, 'original'), join(folder, 'renamed')];
    const release = lockFolder(original);
    renameSync(original, renamed);
    expect(await take(await anotherProcess(), original)).toBe('taken');
    release();
    expect(() => lockFolder(original)).toThrow(FolderInUse);
  });

  it('says whether a command has it, for commands to wait', () => {
    for (const use of ['service', 'command'] as const) {
      const release = lockFolder(folder, use);
      expect(() => lockFolder(folder)).toThrow(
        expect.objectContaining({ pid: process.pid, byCommand: use === 'command' }),
      );
      release();
    }
  });

  it('holds when an earlier version wrote it, without its folder', async () => {
    const other = await anotherProcess();
    await take(other);
    const { pid, born } = JSON.parse(readFileSync(path, 'utf8')) as { pid: number; born: string };
    writeFileSync(path, JSON.stringify({ pid, born }));
    expect(() => lockFolder(folder)).toThrow(FolderInUse);
    expect(() => lockFolder(folder)).toThrow(expect.objectContaining({ byCommand: false }));
  });

  it.each(['', '{', 'null', '{"pid":"x"}', '[]'])('is taken over when its file is invalid: %s', (content) => {
    writeFileSync(path, content);
    lockFolder(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('goes to one of eight processes that find a stale lock at the same moment', async () => {
    const processes = await Promise.all(Array.from({ length: 8 }, () => anotherProcess()));
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, born: '1' }));
      const alive = processes.filter(({ signalCode }) => signalCode === null);
      const answers = await Promise.all(alive.map((other) => take(other)));
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
      const winner = alive[answers.indexOf('taken')] as ChildProcess;
      await kill(winner);
    }
  });

  it('is taken over although a previous takeover was killed halfway', () => {
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, born: '1' });
    writeFileSync(path, dead);
    writeFileSync(
      `${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 16)}`,
      '{"pid":4194306,"born":"1"}',
    );
    const release = lockFolder(folder);
    expect(readdirSync(folder)).toEqual(['countersign.lock']);
    release();
  });

  it('stops a start before anything is opened', async () => {
    const release = lockFolder(folder);
    const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' });
    await expect(buildServices(config)).rejects.toBeInstanceOf(FolderInUse);
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
    release();
  });
});
