// Starts an environment for black-box tests: real server processes, two with Redis, on a database of their own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { emptyDatabase, migratedDatabase } from './fixtures/test-database.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { reuseConnection } from './reused-connection.ts';

/** Whether processes can share a Redis: without it an environment is one process with its own claims. */
export const WITH_REDIS = process.env.TEST_REDIS_URL !== undefined;

export interface TestEnvironmentOptions {
  /** How many processes, each web and worker. Default: 2 with Redis; without it there is always one. */
  processes?: number;
  /** The ROLES of each process instead, with Redis; the first ones must be `web` for tests that call them. */
  roles?: readonly string[];
  /** Environment variables of single processes, by their number, which override all others. */
  own?: Readonly<Record<number, Record<string, string>>>;
  /** Starts with an empty database, as a first start does, which is slower than one with a schema. */
  empty?: boolean;
  /** Environment variables on top of the default ones; an empty text removes one. */
  env?: Record<string, string>;
}

export interface TestEnvironment {
  /** PUBLIC_BASE_URL, the Origin that every process accepts. Not an address to connect to. */
  readonly baseUrl: string;
  /** The addresses of the processes. A restarted one has another address: read it again. */
  readonly urls: readonly string[];
  /** The address of one process; numbers beyond the last wrap around. */
  url(process?: number): string;
  /** SIGKILL to one process, or to all of them at once. */
  kill9(process?: number): Promise<void>;
  /** SIGSTOP and SIGCONT to one process. */
  freeze(process: number): void;
  thaw(process: number): void;
  /** SIGTERM to one process; resolves when it has ended cleanly, within 20 s. Throws when it has not. */
  terminate(process: number): Promise<void>;
  /** Restarts a process; without a number starts every one that is not running. */
  restart(process?: number): Promise<void>;
  /** Their environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets environment variables from the next start on; an empty text removes one. */
  setEnv(changes: Record<string, string>): void;
  /** Stops everything and removes the data. Safe to call twice. */
  stop(): Promise<void>;
  /** Runs SQL (`$1` parameters). */
  sql<T>(text: string, params?: unknown[]): Promise<T[]>;
  /** The end of the processes' logs so far. */
  log(): string;
}

const LOG_LINES = 400;
/** How a line of level `debug` begins. */
const DEBUG = '{"level":20';

/** Starts an environment. The caller must stop it; in a test file the hook below does both. */
export async function startTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  const data = await ownDatabase(options);
  const baseUrl = 'http://countersign.test';
  const env: Record<string, string> = {
    PUBLIC_BASE_URL: baseUrl,
    SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    WEBHOOK_ALLOW_HTTP: 'true',
    DATA_DIR: folder,
    ...data.env,
    ...options.env,
  };
  const lines: string[] = [];
  const keep = (index: number, line: string) => {
    // One line per request would fill the buffer.
    if (line.startsWith(DEBUG)) return;
    lines.push(`[${index}] ${line}`);
    if (lines.length > LOG_LINES) lines.shift();
  };
  const start = (index: number) =>
    startServer({ ...env, ...rolesOf(options, index), ...options.own?.[index] }, (line) => keep(index, line));
  const remove = async () => {
    await data.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  const count = WITH_REDIS ? (options.roles?.length ?? options.processes ?? 2) : 1;
  const processes = await startAll(count, start).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return assemble({ baseUrl: env.PUBLIC_BASE_URL ?? baseUrl, env, processes, start, lines, data, remove });
}

function rolesOf({ roles }: TestEnvironmentOptions, index: number): Record<string, string> {
  const own = WITH_REDIS ? roles?.[index] : undefined;
  return own === undefined ? {} : { ROLES: own };
}

interface Parts {
  baseUrl: string;
  env: Record<string, string>;
  processes: ServerProcess[];
  start: (index: number) => Promise<ServerProcess>;
  lines: string[];
  data: Data;
  remove: () => Promise<void>;
}

function assemble({ baseUrl, env, processes, start, lines, data, remove }: Parts): TestEnvironment {
  const at = (index: number): ServerProcess => {
    const found = processes[index % processes.length];
    if (found === undefined) throw new Error('A test environment has at least one process.');
    return found;
  };
  const which = (index: number | undefined) => (index === undefined ? [...processes.keys()] : [index]);
  let stopped: Promise<void> | null = null;
  const stopAndRemove = async () => {
    try {
      await stopAll(processes);
    } finally {
      await remove();
    }
  };
  return {
    baseUrl,
    env,
    get urls() {
      return processes.map((server) => server.url);
    },
    url: (index = 0) => at(index).url,
    kill9: async (index) => void (await Promise.all(which(index).map((i) => at(i).kill9()))),
    freeze: (index) => at(index).freeze(),
    thaw: (index) => at(index).thaw(),
    terminate: (index) => at(index).stop(),
    restart: async (index) => {
      const due = which(index).filter((i) => index !== undefined || !at(i).isRunning());
      await Promise.all(
        due.map(async (i) => {
          await at(i).stop();
          processes[i % processes.length] = await start(i);
        }),
      );
    },
    setEnv: (changes) => void Object.assign(env, changes),
    stop: () => (stopped ??= stopAndRemove()),
    sql: (text, params = []) => data.query(text, params),
    log: () => lines.join('\n'),
  };
}

async function startAll(count: number, start: (index: number) => Promise<ServerProcess>): Promise<ServerProcess[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, (_, index) => start(index)));
  const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed === undefined) return running;
  await Promise.all(running.map((server) => server.kill9()));
  throw failed.reason;
}

/** Stops every process, and only then throws for one that did not stop cleanly. */
async function stopAll(processes: ServerProcess[]): Promise<void> {
  const results = await Promise.allSettled(processes.map((server) => server.stop()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

interface Data {
  env: Record<string, string>;
  query<T>(text: string, params: unknown[]): Promise<T[]>;
  remove(): Promise<void>;
}

/** A new database on the test server. All share one Redis: every key and room has a UUID of this environment. */
async function ownDatabase({ empty }: TestEnvironmentOptions): Promise<Data> {
  const { TEST_REDIS_URL: redis } = process.env;
  const { url, remove } = await (empty ? emptyDatabase() : migratedDatabase());
  const connection = reuseConnection(url);
  return {
    env: { DATABASE_URL: url, ...(redis === undefined ? {} : { REDIS_URL: redis }) },
    query: connection.query,
    remove: async () => {
      await connection.close();
      await remove();
    },
  };
}

/** Shows what the servers logged when a test of this file (or describe block) fails. */
export function showLogOnFailure(testEnv: () => Pick<TestEnvironment, 'log'> | undefined): void {
  afterEach(({ task }) => {
    const log = testEnv()?.log();
    if (task.result?.state === 'fail' && log) process.stderr.write(`\n--- servers of “${task.name}” ---\n${log}\n`);
  });
}

/** What files may do with a shared environment: anything but kill, stop or configure its processes. */
export type SharedTestEnvironment = Omit<
  TestEnvironment,
  'kill9' | 'freeze' | 'thaw' | 'terminate' | 'restart' | 'setEnv' | 'stop'
>;

let shared: Promise<TestEnvironment> | undefined;

/**
 * The environment of this worker: started by the first file that needs it, stopped with the worker; its database is removed with
 * the server.
 */
const startSharedTestEnvironment = (): Promise<SharedTestEnvironment> => (shared ??= startTestEnvironment());

/** The worker's environment for all tests of a file (or describe block); shows its log when a test fails. */
export const useSharedTestEnvironment = (): SharedTestEnvironment =>
  fromBeforeAll(startSharedTestEnvironment, () => Promise.resolve());

/**
 * One environment for all tests of a file (or describe block): started before, stopped after, its log shown when a test fails.
 */
export const useTestEnvironment = (options: TestEnvironmentOptions = {}): TestEnvironment =>
  fromBeforeAll(
    () => startTestEnvironment(options),
    (testEnv) => testEnv.stop(),
  );

/** What `open` returns, from beforeAll on; its log is shown when a test fails, and it is closed after all tests. */
export function fromBeforeAll<Some extends SharedTestEnvironment>(
  open: () => Promise<Some>,
  close: (testEnv: Some) => Promise<void>,
): Some {
  let testEnv: Some | undefined;
  beforeAll(async () => {
    testEnv = await open();
  });
  showLogOnFailure(() => testEnv);
  afterAll(async () => {
    if (testEnv !== undefined) await close(testEnv);
  });
  // Tests are defined before the environment exists: the proxy looks it up on use.
  return new Proxy({} as Some, {
    get: (_, name) => {
      if (testEnv === undefined) throw new Error('The test environment exists from beforeAll on.');
      return Reflect.get(testEnv, name) as unknown;
    },
  });
}
