// One run of the PostgreSQL server: started, waited for until it answers, and stopped in order.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Address } from './address.ts';
import { USER } from './address.ts';
import { type Binaries, libraryEnv, type Program, programOf } from './binaries.ts';
import { EmbeddedError } from './embedded-error.ts';
import { giveTo, type Identity, tieToParent } from './identity.ts';
import type { ServerLog } from './server-log.ts';
import { settingsWith, type Settings, toArguments } from './settings.ts';

const POLL_MS = 15;
/** How often one says that it still waits, in milliseconds: recovery after a crash takes as long as there is to recover. */
const SAY_MS = 10_000;
/** What a fast and an immediate shutdown are given, in milliseconds. */
const STOP_STEPS = [
  ['SIGINT', 12_000],
  ['SIGQUIT', 3000],
  ['SIGKILL', 2000],
] as const satisfies readonly (readonly [NodeJS.Signals, number])[];
/** Processes of a server that was killed end by themselves, in moments; until then PostgreSQL does not start. In milliseconds. */
const ORPHANS_MS = 15_000;
const ORPHANS_SAY = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/;
/** SQLSTATE `cannot_connect_now`, and what the system says where nobody listens yet. */
const NOT_YET = new Set(['57P03', 'ENOENT', 'ECONNREFUSED', 'ECONNRESET']);

export interface Installation {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly data: string;
  readonly address: Address;
  readonly settings: Settings;
  readonly log: ServerLog;
  /** Told when a start takes long. */
  readonly say: (sentence: string) => void;
}

export interface Server {
  readonly pid: number;
  /** Resolves when the server's first process has ended, for whatever reason. */
  readonly gone: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Fast shutdown: sessions are cut, everything is flushed. Harder if that takes too long. Safe to call twice. */
  stop(): Promise<void>;
}

/** Fills the empty folder `draft` with a new database. Errors: `EmbeddedError`, with what initdb said. */
export async function initialise(at: Omit<Installation, 'address' | 'settings' | 'say'>, draft: string): Promise<void> {
  giveTo(at.identity, draft);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const child = launch(at, 'initdb', [
    '-D',
    draft,
    '-U',
    USER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    ...locale,
    '--no-instructions',
  ]);
  child.stdin?.end();
  const { code } = await endOf(child);
  if (code !== 0) throw new EmbeddedError(`The embedded database could not be made:\n${at.log.lastLines()}`);
}

/** Starts the server on an existing folder, and resolves when it answers. Errors: `EmbeddedError`, with the last lines of its log. */
export async function startServer(at: Installation): Promise<Server> {
  writeFileSync(join(at.data, 'pg_hba.conf'), at.address.hba);
  if (at.address.password !== undefined) await setPassword(at, at.address.password);
  const until = performance.now() + ORPHANS_MS;
  for (;;) {
    const server = run(at);
    const failed = await untilReady(at, server).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    if (!failed) return server;
    if (!ORPHANS_SAY.test(at.log.lastLines()) || performance.now() > until)
      throw new EmbeddedError(
        `The embedded PostgreSQL does not start. ${at.log.path} ends with:\n${at.log.lastLines()}`,
      );
    await delay(POLL_MS * 10);
  }
}

function run(at: Installation): Server {
  const settings = toArguments(settingsWith({ ...at.address.settings, ...at.settings }));
  const child = launch(at, 'postgres', ['-D', at.data, ...settings]);
  child.stdin?.end();
  const gone = endOf(child);
  return { pid: child.pid ?? 0, gone, stop: () => stop(at, child, gone) };
}

/** True when the server ended instead. */
async function untilReady({ address, say }: Installation, server: Server): Promise<boolean> {
  let ended = false;
  void server.gone.then(() => (ended = true));
  for (let waited = 0; !ended; waited += POLL_MS) {
    if (await answers(address.url)) return false;
    if (waited > 0 && waited % SAY_MS < POLL_MS)
      say('the embedded PostgreSQL is still starting: it recovers what it had written ahead');
    await delay(POLL_MS);
  }
  return true;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== undefined && !NOT_YET.has(code)) throw error;
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function stop(at: Installation, child: ChildProcess, gone: Server['gone']): Promise<void> {
  for (const [signal, patience] of STOP_STEPS) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if (process.platform === 'win32' && signal === 'SIGINT')
      launch(at, 'pg_ctl', ['stop', '-D', at.data, '-m', 'fast', '-W']);
    else child.kill(signal);
    await Promise.race([gone, delay(patience, undefined, { ref: false })]);
  }
  await gone;
}

/** In single-user mode: before anybody can connect, and without a file that holds it. */
async function setPassword(at: Installation, password: string): Promise<void> {
  const child = launch(at, 'postgres', ['--single', '-D', at.data, 'postgres']);
  child.stdin?.end(`alter role ${USER} password '${password}'\n`);
  const { code } = await endOf(child);
  if (code !== 0)
    throw new EmbeddedError(`The embedded PostgreSQL does not start. ${at.log.path} ends with:\n${at.log.lastLines()}`);
}

/** Where the programs of the system are. Of our own environment nothing is passed on: it holds secrets, and PostgreSQL's own variables meant for others. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

type Place = Pick<Installation, 'binaries' | 'identity' | 'log'>;

function launch({ binaries, identity, log }: Place, program: Program, args: string[]): ChildProcess {
  const command = identity.wrap(programOf(binaries, program), args);
  const { file, args: all, user } = program === 'postgres' ? tieToParent(command) : command;
  const child = spawn(file, all, {
    ...user,
    cwd: '/',
    env: { PATH, LC_ALL: 'C', ...libraryEnv(binaries) },
    stdio: ['pipe', log.descriptor, log.descriptor],
    // Ctrl+C goes to the whole group of the terminal: the server ends when we say so, after what is under way.
    detached: true,
  });
  // A program that is not there, or ends before it has read: what it said, or its code, tells.
  child.stdin?.on('error', () => undefined);
  return child;
}

async function endOf(child: ChildProcess): ReturnType<() => Server['gone']> {
  const { promise, resolve } = Promise.withResolvers<Awaited<Server['gone']>>();
  child.once('error', () => resolve({ code: -1, signal: null }));
  child.once('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
