// A PostgreSQL of a test's own that can be stopped in earnest and started again on the same data.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { startPostgres } from '../../../scripts/services.ts';

export interface OwnPostgres {
  readonly url: string;
  /** Ends it as an operator would (fast shutdown: sessions are cut); resolves when nobody listens any more. */
  down(): Promise<void>;
  /** Starts it again on its data and its port; resolves when it answers. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one. Errors: when PostgreSQL is not installed. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const service = await startPostgres();
  if (service === undefined) throw new Error('PostgreSQL is not installed.');
  const [row] = await ask<{ data_directory: string }>(service.url, 'show data_directory');
  const data = row?.data_directory ?? '';
  // Its own notes say how it was started: the binary, and each option in quotes.
  const [binary = '', ...options] = readFileSync(join(data, 'postmaster.opts'), 'utf8')
    .trim()
    .split(/ (?=")/);
  const { uid, gid } = statSync(data);
  let again: ChildProcess | undefined;
  const last = () => again?.kill('SIGINT');
  process.once('exit', last);
  const down = async () => {
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGINT');
    await vi.waitFor(() => expect(ask(service.url, 'select 1')).rejects.toThrow('ECONNREFUSED'), { timeout: 10_000 });
  };
  return {
    url: service.url,
    down,
    up: async () => {
      again = spawn(
        binary,
        options.map((option) => option.slice(1, -1)),
        { cwd: data, uid, gid, stdio: 'ignore' },
      );
      await vi.waitFor(() => ask(service.url, 'select 1'), { timeout: 10_000 });
    },
    stop: async () => {
      process.off('exit', last);
      if (again !== undefined) {
        const gone = once(again, 'exit');
        again.kill('SIGINT');
        await gone;
      }
      await service.stop();
    },
  };
}

async function ask<T>(connectionString: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client
    .query(text)
    .then(({ rows }) => rows as T[])
    .finally(() => client.end());
}
