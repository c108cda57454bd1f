// Finds and stops a PostgreSQL that a killed process of ours left running, by its postmaster.pid.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, parentOf } from './process-lock.ts';

const POLL_MS = 20;
/** Time limits per signal, in milliseconds: fast shutdown, immediate shutdown, kill. */
const STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5000],
  ['SIGKILL', 5000],
] as const satisfies readonly (readonly [NodeJS.Signals, number])[];

export interface PidFile {
  pid: number;
  /** The data folder when the server started. */
  data: string;
  port: string;
  socketFolder: string;
}

const pathOf = (data: string): string => join(data, 'postmaster.pid');

/** The content of the server's own lock file; undefined without one. */
function readPidFile(data: string): PidFile | undefined {
  try {
    const lines = readFileSync(pathOf(data), 'utf8').split('\n');
    const [pid = '', folder = '', , port = '', socketFolder = ''] = lines.map((line) => line.trim());
    return Number(pid) > 0 ? { pid: Number(pid), data: folder, port, socketFolder } : undefined;
  } catch {
    return undefined;
  }
}

/** The process that serves this data folder; undefined without one, regardless of the lock file. */
export function serverOf(data: string): PidFile | undefined {
  const file = readPidFile(data);
  return file !== undefined && isRunning(file.pid) && isServerOf(file, data) ? file : undefined;
}

/** The PID may belong to another program by now: the working directory of a server is its data folder. */
function isServerOf(file: PidFile, data: string): boolean {
  const { pid } = file;
  try {
    if (process.platform === 'linux') return hasWorkingDirectory(pid, data) ?? isStartedOn(pid, data);
    if (isCopied(file, data)) return false;
    if (process.platform === 'win32')
      return execFileSync('tasklist', ['/fi', `pid eq ${pid}`], { encoding: 'utf8' }).includes('postgres');
    return execFileSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).includes('postgres');
  } catch {
    return false;
  }
}

/** Whether the lock file came here in a copy of the data: the folder that it names is another one and has it too. */
const isCopied = (file: PidFile, data: string): boolean =>
  readPidFile(file.data)?.pid === file.pid && realpathSync(file.data) !== realpathSync(data);

/** Undefined if the system does not say: root in a container may not inspect processes of other users. */
function hasWorkingDirectory(pid: number, data: string): boolean | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
  } catch {
    return undefined;
  }
}

/** By its command line, which every user may read. */
function isStartedOn(pid: number, data: string): boolean {
  const args = argumentsOf(pid);
  const folder = args[args.indexOf('-D') + 1] ?? '';
  return basename(args[0] ?? '') === 'postgres' && realpathSync(folder) === realpathSync(data);
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/**
 * The live process of ours that started the server on this data, if any: an earlier version did not lock the data.
 * Orphans are adopted by another program, or by the first process of a container. Linux only.
 */
export function supervisorOf(data: string): number | undefined {
  const parent = parentOf(serverOf(data)?.pid ?? 0);
  if (parent <= 1 || !isRunning(parent)) return undefined;
  return basename(argumentsOf(parent)[0] ?? '').startsWith('node') ? parent : undefined;
}

/**
 * Stops the server that still runs on this data folder, gracefully if possible. The caller has locked the data, so
 * nobody needs that server. @returns the PID that was stopped, if any.
 */
export async function stopStaleServer(data: string): Promise<number | undefined> {
  const stale = serverOf(data);
  for (const [signal, patience] of stale === undefined ? [] : STEPS) {
    if (serverOf(data) === undefined) break;
    send(stale!.pid, signal);
    for (let waited = 0; waited < patience && isRunning(stale!.pid); waited += POLL_MS) await delay(POLL_MS);
  }
  if (serverOf(data) === undefined) {
    endOrphans(data);
    removeMisleadingPidFile(data);
  }
  return stale?.pid;
}

/**
 * Backends of a killed server notice it when they next wait for something: a busy or stopped one does not. Linux only.
 */
function endOrphans(data: string): void {
  if (process.platform !== 'linux') return;
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  for (const pid of pids)
    if (hasWorkingDirectory(pid, data) === true && nameOf(pid) === 'postgres') send(pid, 'SIGKILL');
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/**
 * PostgreSQL takes any process with the PID in its lock file for a server: a zombie, or another program. If no process
 * has that PID, the file stays, because PostgreSQL reads from it which shared memory to check.
 */
function removeMisleadingPidFile(data: string): void {
  const file = readPidFile(data);
  if (file === undefined || !isThere(file.pid)) return;
  rmSync(pathOf(data), { force: true });
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** It may have ended meanwhile. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
