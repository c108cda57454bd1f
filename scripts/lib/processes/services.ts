// Private PostgreSQL and Redis servers for tests, benches and `npm run topology`: loopback only, gone when stopped.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, onLoopback } from '../../../server/src/embedded/address.ts';
import { startEmbedded } from '../../../server/src/embedded/embedded-postgres.ts';
import { findBinary } from './find-binary.ts';
import { type Child, watchChild } from './child-process.ts';

export interface Service {
  /** Where to connect: `postgres://…` or `redis://…`. */
  readonly url: string;
  /** Ends the server in order and removes its data. Safe to call twice. */
  stop(): Promise<void>;
}

export interface OwnPostgres extends Service {
  /** Ends it as an operator would (fast shutdown: sessions are cut), and keeps its data. */
  down(): Promise<void>;
  /** Starts it again on its data and its port. */
  up(): Promise<void>;
}

export interface OwnRedis extends Service {
  /** Ends the server at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
}

/** With the settings of a separate server, rather than those of the small one behind DATA_DIR. */
const ROOMY = { max_connections: '200', shared_buffers: '128MB', max_wal_size: '1GB' };
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface PostgresOptions {
  /** Whether commits survive a crash of the machine. Default: they do. */
  fsync?: boolean;
  /** On top of its own. */
  settings?: Record<string, string>;
  /** Lines of pg_hba.conf that come before its own. */
  hba?: string;
}

/**
 * Starts the embedded PostgreSQL in a separate folder. `fsync: false` for tests: commits survive a crash of the server anyway,
 * and only one of the machine would lose them.
 */
export async function startPostgres({ fsync = true, ...more }: PostgresOptions = {}): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-postgres-'));
  const own = await onLoopback();
  const address = { ...own, hba: `${more.hba ?? ''}${own.hba}` };
  const settings = { ...ROOMY, ...(!fsync && { fsync: 'off' }), ...more.settings };
  const start = () => startEmbedded({ folder, log: QUIET, address, settings });
  let server = await start();
  return {
    url: address.url,
    down: () => server.stop(),
    up: async () => {
      server = await start();
    },
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a private Redis, or returns undefined when none is installed. It stores nothing on disk; a `durable` one stores every
 * command before it answers, as PostgreSQL does.
 */
export async function startRedis({ durable = false } = {}): Promise<OwnRedis | undefined> {
  const binary = findBinary('redis-server', ['/opt/homebrew/bin', '/usr/local/bin']);
  if (binary === undefined) return undefined;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-redis-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const storing = durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', ...storing];
  const child = spawn(binary, options, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const running: Child = await watchChild(child, { readyText: 'Ready to accept connections' }).catch(
    (error: unknown) => {
      remove();
      throw error;
    },
  );
  return {
    url: `redis://127.0.0.1:${port}`,
    kill: () => running.end('SIGKILL'),
    stop: () => running.end('SIGTERM').finally(remove),
  };
}
