// A postmaster.pid is not trusted: its PID may belong to an ended process, a zombie, or another program by now.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stopStaleServer, serverOf } from './stale-server.ts';
import { isRunning } from './process-lock.ts';

let data: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  data = mkdtempSync(join(realpathSync(tmpdir()), 'countersign-leftover-'));
  path = join(data, 'postmaster.pid');
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

/** As PostgreSQL writes it: PID, folder, start time, port, socket folder, address, shared memory, state. */
const write = (pid: number) =>
  writeFileSync(path, [pid, data, 1, 5432, '/tmp/socket', '', '1 2', 'ready', ''].join('\n'));

function child(file: string, args: string[], cwd = '/'): ChildProcess & { pid: number } {
  const made = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(made);
  return made as typeof made & { pid: number };
}

describe.runIf(process.platform !== 'win32')('EM4: a stale postmaster.pid', () => {
  it('removes a postmaster.pid whose PID belongs to another program, which is left alone', async () => {
    const other = child('sleep', ['600']);
    write(other.pid);
    expect(serverOf(data)).toBeUndefined();
    expect(await stopStaleServer(data)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    expect(isRunning(other.pid)).toBe(true);
  });

  it('leaves the postmaster.pid of an ended process: PostgreSQL reads from it which shared memory to check', async () => {
    const gone = child('true', []);
    await once(gone, 'exit');
    write(gone.pid);
    expect(await stopStaleServer(data)).toBeUndefined();
    expect(existsSync(path)).toBe(true);
  });

  it.each(['', 'x', '-1', '0'])('ignores a postmaster.pid that names no process: “%s”', async (content) => {
    writeFileSync(path, content);
    expect(await stopStaleServer(data)).toBeUndefined();
  });
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('leaves the server of the original alone in a copy of its folder, also where no working directory tells', async () => {
    const copy = join(data, 'copy');
    const program = join(data, 'postgres');
    copyFileSync('/bin/sleep', program);
    const server = child(program, ['600'], data);
    write(server.pid);
    mkdirSync(copy);
    copyFileSync(path, join(copy, 'postmaster.pid'));
    for (const platform of ['linux', 'darwin']) {
      vi.spyOn(process, 'platform', 'get').mockReturnValue(platform as NodeJS.Platform);
      expect(serverOf(data)?.pid).toBe(server.pid);
      expect(serverOf(copy)).toBeUndefined();
    }
    await stopStaleServer(copy);
    expect(isRunning(server.pid)).toBe(true);
  });

  /** A shell that starts a process, prints its PID, and never waits for it. */
  async function zombie(): Promise<number> {
    const parent = child('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600']);
    const pid = Number(String((await once(parent.stdout!, 'data'))[0]));
    // From here on it is not a shell, which would wait for it.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(() => process.kill(pid, 0)).not.toThrow();
    return pid;
  }

  it('treats a zombie as ended, and removes its postmaster.pid', async () => {
    write(await zombie());
    expect(serverOf(data)).toBeUndefined();
    expect(await stopStaleServer(data)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  it('stops the processes of a killed server, and no others in the folder', async () => {
    // Programs of that name that only wait, as a busy or stopped backend does.
    mkdirSync(join(data, 'bin'));
    const copy = join(data, 'bin/postgres');
    copyFileSync('/bin/sleep', copy);
    const backend = child(copy, ['600'], data);
    const shell = child('sleep', ['600'], data);
    const elsewhere = child(copy, ['600']);
    const ended = once(backend, 'exit');
    await stopStaleServer(data);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect([shell, elsewhere].map(({ pid }) => isRunning(pid))).toEqual([true, true]);
  });
});
