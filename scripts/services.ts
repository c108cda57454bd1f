// Private PostgreSQL and Redis servers from installed binaries, for tests: random port, loopback only, gone when stopped.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const START_MS = 30_000;
const STOP_MS = 10_000;

export interface Service {
  /** Where to connect: `postgres://…` or `redis://…`. */
  readonly url: string;
  /** Ends the server in order and removes its data. Safe to call twice. */
  stop(): Promise<void>;
  /** Ends the server at once (SIGKILL), as a crash would. `stop` still removes the data. */
  kill(): Promise<void>;
}

/**
 * Starts a PostgreSQL of our own (trust on loopback), or answers undefined when none is installed. `fsync: false` for tests: what is
 * committed outlives the server's crash all the same, and only the machine's would lose it.
 */
export async function startPostgres({ fsync = true } = {}): Promise<Service | undefined> {
  const binary = findPostgresTool('postgres');
  if (binary === undefined) return undefined;
  const home = makeHome('postgres');
  const data = join(home.folder, 'data');
  initialise(join(dirname(binary), 'initdb'), data, home);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    `fsync=${fsync ? 'on' : 'off'}`,
  ];
  const options = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  return launch({
    command: [binary, ...options],
    home,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    readyText: 'ready to accept connections',
    // PostgreSQL's fast shutdown: sessions are cut, data is flushed.
    stopSignal: 'SIGINT',
  });
}

/** Starts a Redis of our own (nothing kept on disk), or answers undefined when none is installed. */
export async function startRedis(): Promise<Service | undefined> {
  const binary = findBinary('redis-server', ['/opt/homebrew/bin', '/usr/local/bin']);
  if (binary === undefined) return undefined;
  const port = await freePort();
  return launch({
    command: [binary, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    home: makeHome('redis'),
    url: `redis://127.0.0.1:${port}`,
    readyText: 'Ready to accept connections',
    stopSignal: 'SIGTERM',
  });
}

interface Home {
  folder: string;
  /** Whom to run as: set when we are root, which PostgreSQL refuses to be. */
  user: { uid?: number; gid?: number };
}

function makeHome(name: string): Home {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  const user: Home['user'] = process.getuid?.() === 0 ? unprivileged() : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  return { folder, user };
}

function unprivileged(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('Running as root, and there is neither a user "postgres" nor "nobody" to run the test servers as.');
}

function initialise(initdb: string, data: string, home: Home): void {
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync', '--no-instructions'];
  execFileSync(initdb, ['-D', data, ...options], {
    cwd: home.folder,
    ...home.user,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

interface Launch {
  command: [binary: string, ...options: string[]];
  home: Home;
  url: string;
  readyText: string;
  stopSignal: NodeJS.Signals;
}

async function launch(what: Launch): Promise<Service> {
  const [binary, ...options] = what.command;
  const child = spawn(binary, options, { cwd: what.home.folder, ...what.home.user, stdio: ['ignore', 'pipe', 'pipe'] });
  const last = () => child.kill(what.stopSignal);
  process.once('exit', last);
  child.once('exit', () => process.off('exit', last));
  const running = service(what, child);
  try {
    await ready(child, what.readyText);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

/** Waits until the server says `text`; fails with what it said instead when it ends first or takes too long. */
async function ready(child: ChildProcess, text: string): Promise<void> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const fail = (why: string) => reject(new Error(`${child.spawnfile} ${why}:\n${said.slice(-2000)}`));
  const timer = setTimeout(() => fail(`was not ready after ${START_MS / 1000} s`), START_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      if (said.length < 100_000) said += chunk.toString();
      if (said.includes(text)) resolve(undefined);
    });
  }
  child.once('error', (error) => fail(error.message));
  child.once('exit', (code) => fail(`ended with ${code}`));
  await promise.finally(() => clearTimeout(timer));
}

function service(what: Launch, child: ChildProcess): Service {
  const gone = new Promise((resolve) => child.once('close', resolve));
  const halt = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone.finally(() => clearTimeout(timer));
  };
  return {
    url: what.url,
    kill: () => halt('SIGKILL'),
    stop: async () => {
      await halt(what.stopSignal);
      rmSync(what.home.folder, { recursive: true, force: true });
    },
  };
}

const POSTGRES_PLACES = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/opt/homebrew/opt/postgresql*/bin'];

/** Where `postgres`, `pg_dump` and their like are installed; undefined where they are not. */
export const findPostgresTool = (name: string): string | undefined => findBinary(name, POSTGRES_PLACES);

/** The binary in PATH, else the newest one in `places` (patterns). */
function findBinary(name: string, places: string[]): string | undefined {
  const inPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const elsewhere = places
    .flatMap((place) => globSync(place))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return [...inPath, ...elsewhere].map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A port nobody listens on now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
