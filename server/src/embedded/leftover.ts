// A PostgreSQL that a process of ours left running when it was killed: found by its postmaster.pid, and ended.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './process-lock.ts';

const POLL_MS = 20;
/** What each signal is given to work, in milliseconds: fast shutdown, immediate shutdown, and none at all. */
const STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5000],
  ['SIGKILL', 5000],
] as const satisfies readonly (readonly [NodeJS.Signals, number])[];

export interface PidFile {
  pid: number;
  port: string;
  socketFolder: string;
}

const pathOf = (data: string): string => join(data, 'postmaster.pid');

/** What the server's own lock file says; undefined where there is none. */
function readPidFile(data: string): PidFile | undefined {
  try {
    const [pid, , , port = '', socketFolder = ''] = readFileSync(pathOf(data), 'utf8').split('\n');
    return Number(pid) > 0 ? { pid: Number(pid), port: port.trim(), socketFolder: socketFolder.trim() } : undefined;
  } catch {
    return undefined;
  }
}

/** The process that serves this data folder; undefined when none does, whatever the lock file says. */
export function serverOf(data: string): PidFile | undefined {
  const file = readPidFile(data);
  return file !== undefined && isRunning(file.pid) && isServerOf(file.pid, data) ? file : undefined;
}

/** A number may belong to another program by now: a server works in its data folder. */
function isServerOf(pid: number, data: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
    if (process.platform === 'win32')
      return execFileSync('tasklist', ['/fi', `pid eq ${pid}`], { encoding: 'utf8' }).includes('postgres');
    return execFileSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).includes('postgres');
  } catch {
    return false;
  }
}

/**
 * Ends the server that is still on this data folder, in order if it can be. Whoever calls has the folder to itself, so nobody needs
 * that server. A lock file of a server that is gone is removed: PostgreSQL believes a number that another program has by now.
 * @returns the pid that was ended, if any.
 */
export async function endLeftover(data: string): Promise<number | undefined> {
  const left = serverOf(data);
  for (const [signal, patience] of left === undefined ? [] : STEPS) {
    if (serverOf(data) === undefined) break;
    process.kill(left!.pid, signal);
    for (let waited = 0; waited < patience && isRunning(left!.pid); waited += POLL_MS) await delay(POLL_MS);
  }
  if (serverOf(data) === undefined) rmSync(pathOf(data), { force: true });
  return left?.pid;
}
