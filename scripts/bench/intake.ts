// Benchmarks durable submissions per second on one server: validated, routed and committed, over 64 connections.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { freePort } from '../../server/src/embedded/address.ts';
import { startPostgres } from '../lib/processes/services.ts';
import type { Ready } from './intake-server.ts';
import type { RIVALS } from './intake-rivals.ts';
import { median, type Row } from './rows.ts';
import { submitFor, type Target } from './submissions.ts';
import { connectTo } from '../lib/processes/postgres-client.ts';

const ROUNDS = 5;
const RUN_SECONDS = 4;
const WARM_UP_SECONDS = 2;

const GOALS = {
  'no-database': ['submissions/s against the same route without a database', '>= 0.45'],
  'transaction-per-item': ['submissions/s against one transaction per item', '>= 3.5'],
  'flush-per-item': ['submissions/s against one ORM flush per item', '>= 7'],
} satisfies Record<keyof typeof RIVALS, [measure: string, goal: string]>;

type Variant = 'ours' | keyof typeof RIVALS;
const VARIANTS: Variant[] = ['ours', 'no-database', 'transaction-per-item', 'flush-per-item'];

/** Ours and three rivals in turns. Throws on any response but 201. */
export async function benchIntake(log: (line: string) => void): Promise<Row[]> {
  const postgres = await startPostgres();
  const servers = new Map<Variant, Server>();
  try {
    for (const variant of VARIANTS) servers.set(variant, await startServer(variant, postgres.url));
    const rates = await alternate(servers, log);
    const ours = median(rates.get('ours') ?? []);
    return Object.entries(GOALS).map(([variant, [measure, goal]]) => {
      const rival = median(rates.get(variant as Variant) ?? []);
      return { section: 'intake', measure, ours, rival, ratio: ours / rival, goal };
    });
  } finally {
    for (const { child } of servers.values()) child.kill('SIGKILL');
    await postgres.stop();
  }
}

async function alternate(servers: Map<Variant, Server>, log: (line: string) => void): Promise<Map<Variant, number[]>> {
  const rates = new Map<Variant, number[]>();
  for (const server of servers.values()) await submitFor(server, WARM_UP_SECONDS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [variant, server] of servers) {
      const rate = await submitFor(server, RUN_SECONDS);
      rates.set(variant, [...(rates.get(variant) ?? []), rate]);
      log(`intake, round ${round} of ${ROUNDS}: ${variant.padEnd(20)} ${rate.toFixed(0)} submissions/s`);
    }
  }
  return rates;
}

interface Server extends Target {
  child: ChildProcess;
}

async function startServer(variant: Variant, postgresUrl: string): Promise<Server> {
  const database = `bench_${variant.replaceAll('-', '_')}`;
  const client = await connectTo(postgresUrl);
  try {
    await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'intake-server.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: Object.assign(new URL(postgresUrl), { pathname: `/${database}` }).href,
      SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      RATE_LIMIT_PER_MINUTE: '10000000',
      LOG_LEVEL: 'error',
      BENCH_RIVAL: variant,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`The server of ${variant} ended.`)));
  ended.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [Ready];
  return { ...ready, url: `http://127.0.0.1:${port}`, child };
}
