// One run of the PostgreSQL server: launched as the right user, awaited until it accepts connections, stopped in order.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChildProcess, spawn } from 'node:child_process';
import pg from 'pg';
import { type Address, USER } from './address.ts';
import { EmbeddedError } from './embedded-error.ts';
import { giveTo, type Identity, tieToParent } from './identity.ts';
import { stopStaleServer } from './stale-server.ts';
import { settingsWith, type Settings, toArguments } from './settings.ts';
import { type Binaries, libraryEnv, type Program, programOf } from './binaries.ts';
import type { ServerLog } from './server-log.ts';

const POLL_MS = 15;
/** Time limit of a connection attempt, in milliseconds: a hanging server accepts connections and never responds. */
const CONNECT_TIMEOUT_MS = 5000;
/** The interval of progress messages, in milliseconds: crash recovery may take long. */
const PROGRESS_INTERVAL_MS = 10_000;
/** The time limits of a fast and an immediate shutdown, in milliseconds. */
const STOP_STEPS = [
  ['SIGINT', 12_000],
  ['SIGQUIT', 3000],
  ['SIGKILL', 2000],
] as const satisfies readonly (readonly [NodeJS.Signals, number])[];
/**
 * Backends of a killed server end on their own within moments; PostgreSQL does not start before that. In milliseconds.
 */
const ORPHANS_MS = 15_000;
const ORPHANS_MESSAGE = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/;
/** SQLSTATE classes: unknown role or database, or wrong password. Waiting does not change that. */
const REFUSED = /^(28|3D)/;

export interface Installation extends LaunchContext {
  readonly data: string;
  readonly address: Address;
  readonly settings: Settings;
  /** Called when a start takes long. */
  readonly reportProgress: (sentence: string) => void;
  /** Aborted when the server is no longer needed: a start in progress is cancelled. */
  readonly signal: AbortSignal;
}

export interface Server {
  readonly pid: number;
  /** Resolves when the server's main process has ended, for any reason. */
  readonly gone: Promise<Ended>;
  /**
   * Fast shutdown: sessions are closed, everything is flushed. Immediate shutdown if that takes too long. Safe to call
   * twice.
   */
  stop(): Promise<void>;
}

/**
 * Fills the empty folder `draft` with a new database. Errors: `EmbeddedError` with the output of initdb; `signal` was
 * aborted.
 */
export async function initialise(at: Pick<Installation, keyof LaunchContext | 'signal'>, draft: string): Promise<void> {
  giveTo(at.identity, draft);
  at.log.begin();
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const role = ['-U', USER, '-A', 'trust'];
  const { child, ended } = launch(at, 'initdb', {
    args: ['-D', draft, ...role, '-E', 'UTF8', ...locale, '--no-instructions'],
  });
  const giveUp = () => void child.kill('SIGINT');
  at.signal.addEventListener('abort', giveUp);
  const { code } = await ended;
  at.signal.removeEventListener('abort', giveUp);
  at.signal.throwIfAborted();
  if (code !== 0) throw new EmbeddedError(`The embedded database could not be created:\n${at.log.lastLines()}`);
}

/**
 * Starts the server on an existing folder, and resolves when it accepts connections. Errors: `EmbeddedError` with the
 * last lines of its log; `signal` was aborted.
 */
export async function startServer(at: Installation): Promise<Server> {
  admitOnly(at.address, at.data);
  if (at.address.password !== undefined) await setPassword(at, at.address.password);
  const until = performance.now() + ORPHANS_MS;
  for (;;) {
    at.signal.throwIfAborted();
    const server = run(at);
    const ended = await waitUntilReady(at, server).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    if (!ended) return server;
    if (!ORPHANS_MESSAGE.test(at.log.lastLines()) || performance.now() > until) throw startError(at);
    await stopStaleServer(at.data);
    await delay(POLL_MS * 10);
  }
}

/** Writes pg_hba.conf only if it differs: rewriting a file on a full disk loses it. */
function admitOnly({ hba }: Address, data: string): void {
  const path = join(data, 'pg_hba.conf');
  if (!existsSync(path) || readFileSync(path, 'utf8') !== hba) writeFileSync(path, hba);
}

function startError({ log }: Installation): EmbeddedError {
  return new EmbeddedError(`The embedded PostgreSQL does not start. ${log.path} ends with:\n${log.lastLines()}`);
}

function run(at: Installation): Server {
  at.log.begin();
  const settings = toArguments(settingsWith({ ...at.address.settings, ...at.settings }));
  const launched = launch(at, 'postgres', { args: ['-D', at.data, ...settings] });
  return { pid: launched.child.pid ?? 0, gone: launched.ended, stop: () => stop(at, launched) };
}

/** True when the server ended instead. */
async function waitUntilReady({ address, reportProgress, signal }: Installation, server: Server): Promise<boolean> {
  let ended = false;
  void server.gone.then(() => (ended = true));
  for (let reportedAt = performance.now(); !ended; await delay(POLL_MS)) {
    signal.throwIfAborted();
    const givenUp = delay(CONNECT_TIMEOUT_MS, false, { signal }).catch(() => false);
    if (await Promise.race([isReady(address.url), givenUp])) return false;
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) continue;
    reportProgress('the embedded PostgreSQL is still starting: it is replaying its write-ahead log');
    reportedAt = performance.now();
  }
  return true;
}

async function isReady(url: string): Promise<boolean> {
  // Without TLS, regardless of PGSSLMODE, which is for other servers.
  const client = new pg.Client({
    ...{
      connectionString: url,
      ssl: false,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (REFUSED.test(code))
      throw new EmbeddedError(`The embedded PostgreSQL runs, but refuses Countersign’s connection: ${message}.`);
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function stop(at: Installation, { child, ended }: Launched): Promise<void> {
  for (const [signal, patience] of child.pid === undefined ? [] : STOP_STEPS) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if (process.platform === 'win32' && signal === 'SIGINT')
      launch(at, 'pg_ctl', { args: ['stop', '-D', at.data, '-m', 'fast', '-W'] });
    else child.kill(signal);
    await Promise.race([ended, delay(patience, undefined, { ref: false })]);
  }
  await ended;
}

/**
 * In single-user mode: before anyone can connect, and without a password file. Stretching protects passwords that people choose;
 * this one is random, and each connection would pay for it.
 */
async function setPassword(at: Installation, password: string): Promise<void> {
  at.log.begin();
  const input = `set scram_iterations = 1\nalter role ${USER} password '${password}'\n`;
  const { ended } = launch(at, 'postgres', { args: ['--single', '-D', at.data, 'postgres'], input });
  const { code } = await ended;
  if (code !== 0) throw startError(at);
}

/**
 * The system's program folders. None of our environment is passed on: it contains secrets, and PostgreSQL variables for
 * other servers.
 */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface LaunchContext {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly log: ServerLog;
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Launched {
  readonly child: ChildProcess;
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<Ended>;
}

/** Starts a program with `input` as its standard input. It ends with this process where the system supports that. */
function launch({ binaries, identity, log }: LaunchContext, program: Program, run: Run): Launched {
  const { file, args, user } = tieToParent(identity.wrap(programOf(binaries, program), run.args));
  const child = spawn(file, args, {
    ...user,
    cwd: '/',
    env: { PATH, LC_ALL: 'C', ...libraryEnv(binaries) },
    stdio: ['pipe', log.descriptor, log.descriptor],
    // Ctrl+C reaches the whole process group of the terminal: the server must end only on request, after work in
    // progress.
    detached: true,
  });
  // If the program does not exist or exits before it reads, its output or exit code says why.
  child.stdin?.on('error', () => undefined).end(run.input);
  return { child, ended: endOf(child, log) };
}

interface Run {
  args: readonly string[];
  input?: string;
}

async function endOf(child: ChildProcess, log: ServerLog): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.once('error', (error) => {
    log.add(error.message);
    // A running program that cannot be signalled also emits an error: it has not ended.
    if (child.pid === undefined) resolve({ code: -1, signal: null });
  });
  child.once('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
