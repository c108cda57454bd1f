// Runs one rival of the deliveries bench in its own process: a job queue whose jobs make the same POST as ours.
import { randomBytes } from 'node:crypto';
import { createClient } from 'redis';
import { parseKeyRing, encrypt } from '../../server/src/crypto/key-ring.ts';
import { makeWebhookSecret } from '../../server/src/crypto/webhook-secret.ts';
import { secretContext } from '../../server/src/domain/webhooks/signing.ts';
import { ConnectionPool } from '../../server/src/delivery/connections.ts';
import { dispatchWebhook } from '../../server/src/delivery/dispatch.ts';
import { loadBullMq, loadGraphileWorker, loadPgBoss } from '../lib/packages/bench-packages.ts';

/** As many POSTs at once as our own worker makes. */
const AT_ONCE = 128;
const PROJECT = '00000000-0000-7000-8000-000000000001';
const NAME = 'webhooks';

const { DATABASE_URL = '', REDIS_URL = '', BENCH_RECEIVER = '', BENCH_WAY = '', BENCH_JOBS = '0' } = process.env;
const keyRing = parseKeyRing(`bench:${randomBytes(32).toString('base64')}`);
const current = encrypt(keyRing, makeWebhookSecret(), secretContext(PROJECT));
const secrets = { current, next: null, promoteAt: null, previous: null, previousUntil: null, overlapHours: 24 };
const connections = new ConnectionPool();
const policy = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

interface Job {
  id: string;
  body: string;
}

const jobs: Job[] = Array.from({ length: Number(BENCH_JOBS) }, (_, n) => ({ id: `evt_${n}`, body: '{"event":"x"}' }));

/** Signed and sent through the guard, as `delivery/deliver.ts` does. Throws on anything but a 2xx. */
async function post({ id, body }: Job): Promise<void> {
  const of = { projectId: PROJECT, endpointId: PROJECT };
  const message = { ...of, url: BENCH_RECEIVER, webhookId: id, attempt: 1, body, secrets, at: new Date() };
  const { error } = await dispatchWebhook({ keyRing, policy, connections }, message);
  if (error !== null) throw new Error(error);
}

/** Fills the queue; returns the function that starts the work. */
const VARIANTS: Record<string, () => Promise<() => Promise<void>>> = {
  // The ceiling: nothing is stored, so no queue can be faster than this.
  'no queue': async () => {
    const left = jobs[Symbol.iterator]();
    const work = async () => {
      for (const job of left) await post(job);
    };
    return async () => {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    };
  },
  'pg-boss': async () => {
    const { PgBoss } = await loadPgBoss();
    const boss = await new PgBoss({ connectionString: DATABASE_URL }).start();
    await boss.createQueue(NAME);
    await boss.insert(
      NAME,
      jobs.map((data) => ({ data })),
    );
    return async () => {
      for (;;) {
        const batch = await boss.fetch<Job>(NAME, { batchSize: AT_ONCE });
        if (batch.length === 0) return;
        await Promise.all(batch.map(({ data }) => post(data)));
        await boss.complete(
          NAME,
          batch.map(({ id }) => id),
        );
      }
    };
  },
  'graphile-worker': async () => {
    const { Logger, makeWorkerUtils, run } = await loadGraphileWorker();
    const logger = new Logger(() => () => undefined);
    const utils = await makeWorkerUtils({ connectionString: DATABASE_URL, logger });
    await utils.migrate();
    await utils.addJobs(jobs.map((payload) => ({ identifier: NAME, payload })));
    return async () => {
      const taskList = { [NAME]: (job: unknown) => post(job as Job) };
      const options = { connectionString: DATABASE_URL, logger, taskList, concurrency: AT_ONCE, noHandleSignals: true };
      await run({ ...options, maxPoolSize: 10 });
    };
  },
  bullmq: async () => {
    const { Queue, Worker } = await loadBullMq();
    const connection = await createClient({ url: REDIS_URL }).connect();
    const forWorker = await connection.duplicate().connect();
    const name = `${NAME}-${process.pid}`;
    const queue = new Queue(name, { connection });
    await queue.addBulk(jobs.map((data) => ({ name, data })));
    return async () => {
      const work = ({ data }: { data: Job }) => post(data);
      await new Worker(name, work, { connection: forWorker, concurrency: AT_ONCE }).waitUntilReady();
    };
  },
};

const begin = await VARIANTS[BENCH_WAY]?.();
process.once('message', () => void begin?.());
console.log(JSON.stringify({ msg: 'working' }));
