// Measures the effect of an attack on others: another tenant's submissions, `/healthz` and the memory of the service.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import type { Measured, MeterOrder } from './attack-meter.ts';
import { openProject } from './builders.ts';
import { person, type Person } from './client.ts';
import { embeddedService } from './embedded-service.ts';
import { migratedDatabase } from './fixtures/test-database.ts';
import { startServer } from './server-process.ts';
import { scaled } from './soak.ts';
import type { SharedTestEnvironment, TestEnvironment } from './test-environment.ts';

/** How long each measurement takes, in milliseconds. */
const QUIET_MS = scaled(0, 5000);
const ATTACK_MS = scaled(0, 12_000);
/** A quiet p99 below this is noise of the machine, in milliseconds. */
const NOISE_MS = 50;
/** The p99 under attack stays below this many times its quiet value. */
const TIMES = 10;
const HEALTH_MS = 1000;
const GROWTH_MB = 300;
const SAMPLE_MS = 100;
/** Attackers connect from here: another address than the victim's, as in reality. Linux answers all of 127.0.0.0/8. */
export const ATTACKER_ADDRESS = '127.0.0.66';

/** What the service under attack stores its data in. */
export type Place = 'embedded' | 'postgres';
/** The variants available on this machine: PostgreSQL always, with Redis where the tests have one. */
export const PLACES: readonly Place[] = ['embedded', 'postgres'];

/** A separate service process, and the tenant who must not notice the attack. */
export interface Target {
  readonly url: string;
  readonly baseUrl: string;
  /** For callers (`person`, `openProject`), such as attackers with a session or a key. */
  readonly testEnv: SharedTestEnvironment;
  readonly victim: Person;
  /** Resident memory of the process now, in MB. */
  rss(): number;
  close(): Promise<void>;
  readonly order: Omit<MeterOrder, 'ms'>;
}

/** Attacks until the signal; returns a description, such as `12,000 handshakes`. Errors of its connections do not count. */
export type Attack = (target: Target, until: AbortSignal) => Promise<string>;

/**
 * Starts one process, web and worker, with a tenant who submits. The caller closes it in the same test, and calls
 * `cleanUpAfterwards()` of `embedded-service.ts` once in the file.
 */
export async function startTarget(place: Place, env: Record<string, string> = {}): Promise<Target> {
  const started = await (place === 'embedded' ? startEmbedded(env) : startOnPostgres(env));
  const { testEnv, pid } = started;
  const victim = await person(testEnv);
  const project = await openProject(victim);
  const order = { url: testEnv.url(), apiKey: project.pipeline.apiKey, projectId: project.id };
  const rss = () => residentMb(pid);
  return { url: testEnv.url(), baseUrl: testEnv.baseUrl, testEnv, victim, rss, order, close: started.close };
}

interface Started {
  testEnv: SharedTestEnvironment;
  pid: number;
  close(): Promise<void>;
}

async function startEmbedded(env: Record<string, string>): Promise<Started> {
  const service = embeddedService({ env });
  const server = await service.start();
  return { testEnv: service.testEnv, pid: server.pid, close: () => server.kill9() };
}

async function startOnPostgres(env: Record<string, string>): Promise<Started> {
  const { url, remove } = await migratedDatabase();
  const { TEST_REDIS_URL: redis } = process.env;
  const baseUrl = 'http://countersign.test';
  const stores = { DATABASE_URL: url, ...(redis === undefined ? {} : { REDIS_URL: redis }) };
  const all = { PUBLIC_BASE_URL: baseUrl, SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`, ...stores };
  const server = await startServer({ ...all, LOG_LEVEL: 'info', ...env }, () => undefined);
  const testEnv: Pick<TestEnvironment, 'baseUrl' | 'url'> = { baseUrl, url: () => server.url };
  const close = async () => {
    await server.kill9();
    await remove();
  };
  return { testEnv: testEnv as SharedTestEnvironment, pid: server.pid, close };
}

function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}

export interface Cost {
  name: string;
  /** The description of the attack. */
  did: string;
  quiet: Measured;
  attacked: Measured;
  /** Resident memory before the attack and its maximum during the attack, in MB. */
  idleMb: number;
  mostMb: number;
}

/** Measures without the attack, then while it runs, and prints both. */
export async function costOf(target: Target, name: string, attack: Attack): Promise<Cost> {
  const quiet = await measure({ ...target.order, ms: QUIET_MS });
  const idleMb = target.rss();
  let mostMb = idleMb;
  const watching = setInterval(() => (mostMb = Math.max(mostMb, target.rss())), SAMPLE_MS);
  const over = new AbortController();
  const attacking = attack(target, over.signal);
  try {
    const attacked = await measure({ ...target.order, ms: ATTACK_MS });
    over.abort();
    const cost = { name, did: await attacking, quiet, attacked, idleMb, mostMb };
    process.stdout.write(`${describeCost(cost)}\n`);
    return cost;
  } finally {
    over.abort();
    clearInterval(watching);
  }
}

/** In a separate thread: an attacker in this one would distort the measurement. */
async function measure(order: MeterOrder): Promise<Measured> {
  const worker = new Worker(new URL('attack-meter.ts', import.meta.url), { workerData: order, execArgv: [] });
  const [measured] = (await once(worker, 'message')) as [Measured];
  return measured;
}

const round = (ms: number) => `${Math.round(ms)} ms`;
const summaryOf = ({ p99, slowestHealth, sent, failed }: Measured) =>
  `p99 ${round(p99)}, /healthz ${round(slowestHealth)}, ${sent} sent, ${failed.length} failed`;

function describeCost({ name, did, quiet, attacked, idleMb, mostMb }: Cost): string {
  return `${name}: ${did}\n  quiet: ${summaryOf(quiet)}\n  attacked: ${summaryOf(attacked)}\n  memory: ${idleMb} MB, at most ${mostMb} MB`;
}

/** Checks that no other tenant noticed: no failure, no high latency, and memory within bounds. */
export function expectBearable({ name, quiet, attacked, idleMb, mostMb }: Cost): void {
  expect(attacked.failed, `${name}: failures of others`).toEqual([]);
  expect(attacked.p99, `${name}: p99 of others`).toBeLessThan(TIMES * Math.max(quiet.p99, NOISE_MS));
  expect(attacked.slowestHealth, `${name}: /healthz`).toBeLessThan(HEALTH_MS);
  expect(mostMb - idleMb, `${name}: growth in MB`).toBeLessThan(GROWTH_MB);
}
