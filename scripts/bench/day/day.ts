// Runs a day in fast motion: a million items, people, webhooks, analytics, and a transaction open for a third of it.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type pg from 'pg';
import { connectTo } from '../../lib/processes/postgres-client.ts';
import { seeded } from '../analytics.ts';
import {
  type BenchDatabase,
  type BenchEnvironment,
  openBenchEnvironment,
  openProject,
  signInMany,
  type Visitor,
} from '../environment.ts';
import type { Options } from '../options.ts';
import { percentile, type Row } from '../rows.ts';
import { reviewAll, type Stage, submitAll, watchAnalytics } from './actors.ts';
import { countUndelivered, countViolations, type Left, waitUntilDone } from './after.ts';
import { LONG_TRANSACTION, readGauges, walPosition } from './gauges.ts';
import { deadRowsOf, HEADS, type Hour, hourOf, lineOf, emptyHour } from './hours.ts';
import { type Panel, pictureOf, type Shade } from './picture.ts';
import { startDayReceiver } from './receiver.ts';

/** A million items at this pace take half an hour, and a third of the day ten minutes. */
const SIZES = {
  full: { items: 1_000_000, perSecond: 1_000_000 / 1800, old: 100_000 },
  quick: { items: 4800, perSecond: 200, old: 0 },
};
const REVIEWERS = 12;
/** Hours from 0 in which an analyst's transaction stays open, and why the picture is shaded there. */
const LONG: Shade = { from: 8, until: 16, because: 'an analytic transaction stays open' };
const DAY_MS = 86_400_000;
/** Items that nobody needs any more: retention deletes them while the day goes on. */
const OLD = { agoMs: 31 * DAY_MS, waiting: 0, settings: { retention_item_days: 30 } };
const PICTURE = 'bench-day.svg';

type Log = (line: string) => void;

interface Day extends Stage {
  benchEnv: BenchEnvironment;
  database: BenchDatabase;
  items: number;
  perSecond: number;
  log: Log;
}

/** Writes a picture and prints a line per hour. Throws without PostgreSQL or Redis, or when a request is refused. */
export async function benchDay(log: Log, { quick, items, picture = PICTURE }: Options): Promise<Row[]> {
  const size = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  const receiver = await startDayReceiver();
  const agent = new Agent({ keepAlive: true });
  const secrets = { SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}` };
  try {
    const database = await benchEnv.createDatabase('bench_day');
    await seedOld({ benchEnv, database }, { count: size.old, secrets });
    const server = await benchEnv.startServer(database, { env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ...secrets } });
    const settings = { webhook_url: receiver.url, auto_threshold: 0.95, review_threshold: 0.7 };
    const reviewers = await signInMany(database, REVIEWERS);
    const project = await openProject({ server, database }, { members: reviewers, settings });
    const day = {
      benchEnv,
      database,
      server,
      project,
      agent,
      log,
      items: items ?? size.items,
      perSecond: size.perSecond,
    };
    const { hours, left } = await live(day, reviewers);
    writeFileSync(
      picture,
      pictureOf(`One day in fast motion: ${day.items.toLocaleString('en')} items`, panelsOf(hours), LONG),
    );
    log(`day: the picture is ${picture}; left at the end: ${JSON.stringify(left)}`);
    const missing = await countUndelivered(database, project.id);
    const violations = await countViolations({ DATABASE_URL: database.url, REDIS_URL: benchEnv.redisUrl, ...secrets });
    return rowsOf(hours, { items: day.items, violations, missing });
  } finally {
    agent.destroy();
    receiver.close();
    await benchEnv.close();
  }
}

/** A project whose items are all past their retention period. They need a server that does not delete them yet. */
async function seedOld(
  { benchEnv, database }: Pick<Day, 'benchEnv' | 'database'>,
  { count, secrets }: { count: number; secrets: Record<string, string> },
): Promise<void> {
  const server = await benchEnv.startServer(database, { env: { ROLES: 'web', ...secrets } });
  if (count > 0) await seeded({ server, database }, count, OLD);
  await server.stop();
}

/** The day itself, until everything is decided and delivered. */
async function live(day: Day, reviewers: Visitor[]): Promise<{ hours: Hour[]; left: Left }> {
  const { database, project, items, perSecond, log } = day;
  const walFrom = await walPosition(database);
  const analyst = new Analyst(database.url);
  log(HEADS);
  const record = new DayRecord(async (n, hour) => {
    if (n === LONG.from) await analyst.begin();
    if (n === LONG.until) await analyst.end();
    hour.gauges = await readGauges(database, walFrom);
    log(lineOf(n, hour));
  });
  const stop = new AbortController();
  const others = Promise.all([
    ...reviewers.map((visitor) =>
      reviewAll(day, visitor, { report: (ms) => record.current.claim.push(ms), stop: stop.signal }),
    ),
    watchAnalytics(day, { report: (ms) => record.current.analytics.push(ms), stop: stop.signal }),
  ]);
  const whole = submitAll(day, { items, perSecond }, (ms, n) => {
    record.goTo(hourOf(n, items));
    record.current.submit.push(ms);
  }).then(async () => {
    const hours = await record.end();
    await analyst.end();
    return { hours, left: await waitUntilDone(database, project.id) };
  });
  try {
    // One of the others that fails ends the bench at once.
    const result = await Promise.race([whole, others.then(() => whole)]);
    stop.abort();
    await others;
    return result;
  } finally {
    // Its session would end with the server, and that failure would hide the first one.
    await analyst.end();
  }
}

/** Collects latencies hour by hour. */
class DayRecord {
  current = emptyHour();
  readonly #ended: Hour[] = [];
  readonly #endings: Promise<void>[] = [];
  readonly #onEnd: (n: number, hour: Hour) => Promise<void>;

  /** `onEnd`: called with each hour that ended, and its number from 1. */
  constructor(onEnd: (n: number, hour: Hour) => Promise<void>) {
    this.#onEnd = onEnd;
  }

  /** Ends the hours before this one, which counts from 0. */
  goTo(hour: number): void {
    while (this.#ended.length < hour) this.#next();
  }

  /** Ends the last hour, too. */
  async end(): Promise<Hour[]> {
    this.#next();
    await Promise.all(this.#endings);
    return this.#ended;
  }

  #next(): void {
    const hour = this.current;
    this.current = emptyHour();
    this.#ended.push(hour);
    this.#endings.push(this.#onEnd(this.#ended.length, hour));
  }
}

/** Somebody with a statement over all items who leaves its transaction open. */
class Analyst {
  readonly #url: string;
  #client: pg.Client | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async begin(): Promise<void> {
    this.#client = await connectTo(this.#url);
    for (const text of LONG_TRANSACTION) await this.#client.query(text);
  }

  async end(): Promise<void> {
    await this.#client?.end();
    this.#client = null;
  }
}

const MIB = 2 ** 20;

const panelsOf = (hours: Hour[]): Panel[] => [
  latencyPanel(
    'Submission, ms',
    hours.map(({ submit }) => submit),
  ),
  latencyPanel(
    'Claim-next, ms',
    hours.map(({ claim }) => claim),
  ),
  latencyPanel(
    'Analytics, ms',
    hours.map(({ analytics }) => analytics),
  ),
  panel(
    'Items that wait',
    hours.map(({ gauges }) => gauges.waiting),
  ),
  panel('Dead rows', hours.map(deadRowsOf)),
  panel(
    'Database on disk, MiB',
    hours.map(({ gauges }) => gauges.diskBytes / MIB),
  ),
  panel(
    'WAL written since the beginning, MiB',
    hours.map(({ gauges }) => gauges.walBytes / MIB),
  ),
  panel(
    'Memory of service, PostgreSQL and Redis, MiB',
    hours.map(({ gauges }) => gauges.memoryMiB),
  ),
];

const panel = (title: string, values: number[]): Panel => ({ title, lines: [{ name: title, values }] });

const latencyPanel = (title: string, hours: number[][]): Panel => ({
  title,
  lines: [
    { name: 'p99', values: hours.map((all) => percentile(all, 0.99)) },
    { name: 'p50', values: hours.map((all) => percentile(all, 0.5)) },
  ],
});

function rowsOf(
  hours: Hour[],
  { items, violations, missing }: Record<'items' | 'violations' | 'missing', number>,
): Row[] {
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return [];
  const perItem = (bytes: number) => bytes / items / 1024;
  return [
    compared('ms of a submission, p99, last hour against the first', last.submit, first.submit),
    compared('ms of claim-next, p99, last hour against the first', last.claim, first.claim),
    row('final decisions whose webhook did not arrive', missing, '<= 0'),
    row('violations of the invariants afterwards', violations, '<= 0'),
    row('dead rows, at most', Math.max(...hours.map(deadRowsOf)), null),
    row('dead rows at the end', deadRowsOf(last), null),
    row('KiB on disk per item', perItem(last.gauges.diskBytes), null),
    row('KiB of WAL per item', perItem(last.gauges.walBytes), null),
    row(
      'MiB of service, PostgreSQL and Redis, at most',
      Math.max(...hours.map(({ gauges }) => gauges.memoryMiB)),
      null,
    ),
  ];
}

const row = (measure: string, ours: number, goal: string | null): Row => ({
  ...{ section: 'day', measure, ours, rival: null, ratio: null, goal },
});

function compared(measure: string, late: number[], early: number[]): Row {
  const [ours, rival] = [percentile(late, 0.99), percentile(early, 0.99)];
  return { section: 'day', measure, ours, rival, ratio: ours / rival, goal: '<= 1.5' };
}
