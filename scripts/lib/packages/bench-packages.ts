// Declares and loads the packages that only `npm run bench` uses, in the versions it was last measured with.
import { loadPackage, type Wanted } from './fetch-packages.ts';

/** Sends the submissions. */
export const LOAD_GENERATOR: Wanted = { folder: 'load-generator', packages: ['autocannon@9.0.0'] };

/** The job queues that deliveries are measured against. */
export const JOB_QUEUES: Wanted = {
  folder: 'job-queues',
  packages: ['pg-boss@12.27.0', 'graphile-worker@0.18.0', 'bullmq@6.7.0'],
};

/** Audits pages: about 110 MB. */
export const LIGHTHOUSE: Wanted = { folder: 'lighthouse', packages: ['lighthouse@12.2.3'] };

/** What is used here of autocannon 9. `duration` is in seconds. */
export type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  requests: { method: string; headers: Record<string, string>; body: string }[];
}) => Promise<{ '2xx': number; non2xx: number; errors: number; timeouts: number; duration: number }>;

/** What is used here of pg-boss 12. */
export interface PgBoss {
  PgBoss: new (options: { connectionString: string }) => {
    start(): Promise<InstanceType<PgBoss['PgBoss']>>;
    createQueue(name: string): Promise<unknown>;
    insert(name: string, jobs: { data: object }[]): Promise<unknown>;
    fetch<T>(name: string, options: { batchSize: number }): Promise<{ id: string; data: T }[]>;
    complete(name: string, ids: string[]): Promise<unknown>;
  };
}

interface GraphileOptions {
  connectionString: string;
  logger: object;
}

/** What is used here of graphile-worker 0.18. */
export interface GraphileWorker {
  Logger: new (factory: () => () => undefined) => object;
  makeWorkerUtils: (options: GraphileOptions) => Promise<{
    migrate(): Promise<unknown>;
    addJobs(jobs: { identifier: string; payload: object }[]): Promise<unknown>;
  }>;
  run: (
    options: GraphileOptions & {
      taskList: Record<string, (job: unknown) => Promise<void>>;
      concurrency: number;
      noHandleSignals: boolean;
      maxPoolSize: number;
    },
  ) => Promise<unknown>;
}

/** What is used here of BullMQ 6. */
export interface BullMq {
  Queue: new (
    name: string,
    options: { connection: object },
  ) => { addBulk(jobs: { name: string; data: object }[]): Promise<unknown> };
  Worker: new <T>(
    name: string,
    work: (job: { data: T }) => Promise<void>,
    options: { connection: object; concurrency: number },
  ) => { waitUntilReady(): Promise<unknown> };
}

/** What is used here of Lighthouse 12. */
export type Lighthouse = (
  url: string,
  flags: Record<string, unknown>,
) => Promise<{ lhr: LighthouseReport } | undefined>;

export interface LighthouseReport {
  runtimeError?: { message: string };
  categories: Record<'performance' | 'accessibility' | 'best-practices', { score: number | null }>;
  audits: Record<string, { title: string; score: number | null; numericValue?: number } | undefined>;
}

export const loadAutocannon = async (): Promise<Autocannon> =>
  ((await loadPackage(LOAD_GENERATOR, 'autocannon')) as { default: Autocannon }).default;
export const loadPgBoss = async (): Promise<PgBoss> => (await loadPackage(JOB_QUEUES, 'pg-boss')) as PgBoss;
export const loadGraphileWorker = async (): Promise<GraphileWorker> =>
  (await loadPackage(JOB_QUEUES, 'graphile-worker')) as GraphileWorker;
export const loadBullMq = async (): Promise<BullMq> => (await loadPackage(JOB_QUEUES, 'bullmq')) as BullMq;
export const loadLighthouse = async (): Promise<Lighthouse> =>
  ((await loadPackage(LIGHTHOUSE, 'lighthouse')) as { default: Lighthouse }).default;
