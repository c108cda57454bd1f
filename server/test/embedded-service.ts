// A service on a separate embedded database: one real process behind DATA_DIR, which tests kill and inspect.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { addressOfRunning } from '../src/embedded/embedded-postgres.ts';
import { isRunning } from '../src/embedded/process-lock.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { TestEnvironment } from './test-environment.ts';
import { connectTo } from '../../scripts/lib/processes/postgres-client.ts';

/** The tests need Linux: they read /proc and use its mounts. */
export const ON_LINUX = process.platform === 'linux';
/** Some tests need to switch users, or to mount something. */
export const AS_ROOT = ON_LINUX && process.getuid?.() === 0;

/** Whether this process may mount, and so also make namespaces. */
export const MAY_MOUNT = AS_ROOT && mayMount();

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mount-'));
  const runs = (file: string) =>
    spawnSync(file, file === 'mount' ? ['-t', 'tmpfs', 'tmpfs', folder] : [folder]).status === 0;
  const may = runs('mount') && runs('umount');
  rmSync(folder, { recursive: true, force: true });
  return may;
}

/** Mounts a file system of so many megabytes, in memory; unmounted at the end. */
export function smallDisk(megabytes: number): string {
  const folder = aFolder('disk');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  unmountAfterwards(folder);
  return folder;
}

/** Unmounts what a test has mounted at `folder`, before the folders are removed. */
export const unmountAfterwards = (folder: string): void => void mounted.push(folder);
const mounted: string[] = [];

/** A PATH on which this program fails, as where the system forbids what it does. */
export function pathWithout(...names: string[]): string {
  const folder = aFolder('path');
  for (const name of names) writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}

const STOP_TIMEOUT_MS = 30_000;
const BASE_URL = 'http://countersign.test';

export interface EmbeddedService {
  /** DATA_DIR. */
  readonly folder: string;
  /** For callers (`person`, `openProject`). */
  readonly testEnv: TestEnvironment;
  readonly env: Readonly<Record<string, string>>;
  /** The process that was started last. */
  readonly server: ServerProcess;
  /** `through`: a command that the process is started through, instead of the one of the service. */
  start(extra?: Record<string, string>, through?: readonly string[]): Promise<ServerProcess>;
  /** A start that must fail; returns its output. */
  refused(extra?: Record<string, string>, through?: readonly string[]): Promise<string>;
  /** Every line of every start. */
  log(): string;
  /** The address of the PostgreSQL that runs on it. */
  url(): string;
  /** The first process of that PostgreSQL. */
  postmaster(): number;
}

interface Options {
  folder?: string;
  env?: Record<string, string>;
  /** Where its data is, if not in the folder; see `Options.apart` of the embedded PostgreSQL. */
  data?: string;
  /** A command that the process is started through. */
  through?: readonly string[];
}

/** A temporary folder, removed after the test, or after all of them when made before. */
export function aFolder(name = 'embedded'): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `countersign-${name}-`));
  made.push(folder);
  return folder;
}
const made: string[] = [];

const services: { server: ServerProcess | undefined; lines: string[] }[] = [];

/** Call it once in a file: after each test it kills running services; at the end it removes their folders and processes. */
export function cleanUpAfterwards(): void {
  afterEach(async ({ task }) => {
    for (const { server, lines } of services.splice(0)) {
      await server?.kill9();
      if (task.result?.state === 'fail')
        process.stderr.write(`\n--- “${task.name}” ---\n${lines.slice(-60).join('\n')}\n`);
    }
  });
  afterAll(async () => {
    for (const folder of mounted.splice(0)) spawnSync('umount', ['--lazy', folder]);
    for (const folder of made.splice(0)) {
      if (ON_LINUX) for (const pid of processesIn(folder)) process.kill(pid, 'SIGKILL');
      await nothingRunsIn(folder);
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** A service that is not started yet. */
export function embeddedService({
  folder = aFolder(),
  data = join(folder, 'postgres'),
  ...options
}: Options = {}): EmbeddedService {
  const env = { DATA_DIR: folder, PUBLIC_BASE_URL: BASE_URL, LOG_LEVEL: 'info', ...options.env };
  const mine: { server: ServerProcess | undefined; lines: string[] } = { server: undefined, lines: [] };
  services.push(mine);
  const url = () => addressOfRunning(folder) ?? '';
  const start: EmbeddedService['start'] = async (extra = {}, through = options.through) => {
    const log = (line: string) => void mine.lines.push(line);
    return (mine.server = await startServer({ ...env, ...extra }, log, through));
  };
  const testEnv = { baseUrl: BASE_URL, url: () => mine.server?.url ?? '' } as unknown as TestEnvironment;
  return {
    ...{ folder, env, testEnv, start, url },
    get server() {
      if (mine.server === undefined) throw new Error('It was not started.');
      return mine.server;
    },
    refused: async (extra, through) => {
      const outcome = await start(extra, through).then(
        () => 'It started.',
        (error: unknown) => String(error),
      );
      expect(outcome).toMatch(/^Error: The server ended with 1:/);
      return outcome.split('\n').slice(1).join('\n').trim();
    },
    log: () => mine.lines.join('\n'),
    postmaster: () => pidIn(data),
  };
}

/** The pid in `postmaster.pid`, or 0. */
export function pidIn(data: string): number {
  const path = join(data, 'postmaster.pid');
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : 0;
}

/** Processes that run in `folder` or name it on their command line; ended ones do not count. */
export function processesIn(folder: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  return pids.filter((pid) => pid !== process.pid && isRunning(pid) && isAbout(pid, folder));
}

function isAbout(pid: number, folder: string): boolean {
  try {
    const about = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
    return about.some((text) => text.includes(folder));
  } catch {
    return false;
  }
}

/** Waits until no process uses `folder`. */
export async function nothingRunsIn(folder: string): Promise<void> {
  if (ON_LINUX)
    await vi.waitFor(() => expect(processesIn(folder)).toEqual([]), { timeout: STOP_TIMEOUT_MS, interval: 50 });
}

/** Runs one query on the database at `url`. */
export async function ask<T>(url: string, text: string): Promise<T[]> {
  const client = await connectTo(url);
  client.on('error', () => undefined);
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}
