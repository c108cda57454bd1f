// Benchmarks webhook deliveries per second and their latency against three job queues that make the same POST.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { JOB_QUEUES } from '../lib/packages/bench-packages.ts';
import { fetchPackages } from '../lib/packages/fetch-packages.ts';
import { type OwnRedis, startRedis } from '../lib/processes/services.ts';
import { createEndpoint } from '../../shared/src/routes/webhook.ts';
import { measureLatency } from './delivery-latency.ts';
import {
  asker,
  type BenchDatabase,
  type BenchEnvironment,
  idAt,
  openBenchEnvironment,
  openProject,
  seedItems,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';

const QUEUES = ['pg-boss', 'graphile-worker', 'bullmq'] as const;
/** The ceiling: the same POSTs from memory, with nothing stored before or after. */
const NO_QUEUE = 'no queue';
const RIVALS = [...QUEUES, NO_QUEUE] as const;
type Rival = (typeof RIVALS)[number];
/**
 * How many are due at once. The length costs queues differently: the short backlog is a burst that ends soon after warm-up, the
 * long one what follows an outage of somewhat more than an hour at a million items a day.
 */
const SIZES = {
  full: { rounds: 3, backlogs: [16_000, 48_000], decisions: 300 },
  quick: { rounds: 1, backlogs: [400], decisions: 20 },
};
/** As many projects as needed to use every permit of a worker. */
const PROJECTS = 8;
/** The endpoints of each project where it has several: each of them gets every event. */
const SEVERAL_ENDPOINTS = 5;
/** Below this many deliveries per second the bench gives up. */
const LEAST_RATE = 200;

/** Ours and the rivals in turns. Throws without PostgreSQL or Redis, without the rivals, or on a missing delivery. */
export async function benchDeliveries(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  await fetchPackages(JOB_QUEUES, (packages) => log(`deliveries: installing ${packages} (once)`));
  const { rounds, backlogs, decisions } = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  const redis = await startRedis({ durable: true });
  const receiver = await fastReceiver();
  try {
    // Without an address BullMQ would use the Redis on the standard port, which may lose what it answered.
    if (redis === undefined) throw new Error('No Redis for BullMQ: `apt-get install redis-server`.');
    const rows = await measureLatency(benchEnv, decisions, log);
    const setup = { benchEnv, redis, receiver, log };
    for (const count of backlogs) rows.push(...(await measureBacklog(setup, { rounds, count })));
    return rows;
  } finally {
    receiver.close();
    await Promise.all([benchEnv.close(), redis?.stop()]);
  }
}

interface BacklogSetup {
  benchEnv: BenchEnvironment;
  /** Where BullMQ has its jobs: it stores each step before it answers, as the database of the others does. */
  redis: OwnRedis;
  receiver: Receiver;
  log: (line: string) => void;
}

/** This many deliveries, all due, ours and each rival's in turns. */
async function measureBacklog(
  setup: BacklogSetup,
  { rounds, count }: { rounds: number; count: number },
): Promise<Row[]> {
  const rates = new Map<string, number[]>();
  const note = (variant: string, round: number, rate: number) => {
    rates.set(variant, [...(rates.get(variant) ?? []), rate]);
    setup.log(
      `${count} deliveries, round ${round} of ${rounds}: ${variant.padEnd(16)} ${rate.toFixed(0)} deliveries/s`,
    );
  };
  for (let round = 1; round <= rounds; round += 1) {
    note('ours', round, await ours(setup, { round, count, endpoints: 1 }));
    note('ours, several', round, await ours(setup, { round, count, endpoints: SEVERAL_ENDPOINTS }));
    for (const variant of RIVALS) note(variant, round, await rival(setup, { variant, round, count }));
  }
  const rateOf = (variant: string) => median(rates.get(variant) ?? []);
  const row = (measure: string, [mine, theirs]: [string, string], goal: string | null): Row => {
    const [ours, rival] = [rateOf(mine), rateOf(theirs)];
    return {
      section: 'deliveries',
      measure: `deliveries/s of ${count} due, ${measure}`,
      ours,
      rival,
      ratio: ours / rival,
      goal,
    };
  };
  return [
    ...QUEUES.map((variant) => row(`against ${variant} doing the same POST`, ['ours', variant], '>= 1')),
    row('against the same POST without a queue', ['ours', NO_QUEUE], null),
    row(`${SEVERAL_ENDPOINTS} endpoints per project against one`, ['ours, several', 'ours'], null),
  ];
}

interface Receiver {
  url: string;
  /** Deliveries per second from now until this many have arrived. */
  rate(count: number): Promise<number>;
  close(): void;
}

/** Answers at once. */
async function fastReceiver(): Promise<Receiver> {
  let seen = new Set<string>();
  let wanted = Infinity;
  let full = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    seen.add(`${request.url} ${String(request.headers['webhook-id'])}`);
    if (seen.size >= wanted) full.resolve(undefined);
    request.resume().once('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    rate: async (count) => {
      [seen, wanted, full] = [new Set(), count, Promise.withResolvers()];
      const startedAt = performance.now();
      const late = setTimeout(
        () => full.reject(new Error(`Only ${seen.size} of ${count} arrived.`)),
        (count / LEAST_RATE) * 1000,
      );
      await full.promise.finally(() => clearTimeout(late));
      return count / ((performance.now() - startedAt) / 1000);
    },
    close: () => server.close(),
  };
}

interface Run {
  round: number;
  count: number;
}

type OurRun = Run & {
  /** The endpoints of each project, which share the deliveries. */
  endpoints: number;
};

/**
 * The whole service as `npm start` runs it; each item has one delivery to each endpoint of its project, which becomes due when the
 * paused endpoint resumes.
 */
async function ours({ benchEnv, receiver }: BacklogSetup, { round, count, endpoints }: OurRun): Promise<number> {
  const database = await benchEnv.createDatabase(`bench_deliveries_${count}_${endpoints}_${round}`);
  const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
  const server = await benchEnv.startServer(database, { env });
  for (let n = 0; n < PROJECTS; n += 1) {
    const settings = { webhook_url: receiver.url };
    const { id, owner } = await openProject({ server, database }, { members: [], settings });
    const ask = asker(server, owner);
    for (let other = 1; other < endpoints; other += 1)
      await ask('POST', createEndpoint.path.replace(':id', id), {
        url: `${receiver.url}${other}`,
        events: ['item.decided'],
      });
    await seedDeliveries(database, id, count / PROJECTS / endpoints);
  }
  const rate = receiver.rate(count);
  await database.sql(`update webhook_endpoint set state = 'active'`);
  await database.sql(`select pg_notify('countersign_due', '')`);
  const measured = await rate;
  await server.stop();
  return measured;
}

/** Those of a project as the relay writes them, one to each endpoint per item: one after another, in order of time. */
async function seedDeliveries(database: BenchDatabase, projectId: string, items: number): Promise<void> {
  await seedItems(database, projectId, { all: items, waiting: 0 });
  await database.sql(`update webhook_endpoint set state = 'paused' where project_id = $1`, [projectId]);
  await database.sql(
    `insert into delivery (id, project_id, endpoint_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
     select ${idAt('i.created_at')}, i.project_id, e.endpoint_id, i.id, 'evt_' || i.id, 1, '{"event":"x"}', 'pending', 0, i.created_at, i.created_at
     from item i join webhook_endpoint e on e.project_id = i.project_id where i.project_id = $1 order by i.created_at`,
    [projectId],
  );
  await database.sql('vacuum (analyze) delivery');
}

async function rival(
  { benchEnv, redis, receiver }: BacklogSetup,
  { variant, round, count }: Run & { variant: Rival },
): Promise<number> {
  const database = await benchEnv.createDatabase(`bench_${variant.replaceAll(/\W/g, '_')}_${count}_${round}`);
  const program = join(import.meta.dirname, 'deliveries-rival.ts');
  const env = {
    BENCH_WAY: variant,
    BENCH_JOBS: String(count),
    BENCH_RECEIVER: receiver.url,
    REDIS_URL: redis.url,
  };
  const worker = await benchEnv.startServer(database, { program, env });
  const rate = receiver.rate(count);
  worker.child.send('go');
  const measured = await rate;
  await worker.stop();
  return measured;
}
