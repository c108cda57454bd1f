// Benchmarks the latency from a commit to all 1 000 sockets of the room, against a bare broadcast.
import { once } from 'node:events';
import { join } from 'node:path';
import type pg from 'pg';
import { EVENTS_APPENDED } from '../../server/src/db/connection/channels.ts';
import { claimNext, decideItem } from '../../shared/src/routes/queue.ts';
import type { Granted } from '../../shared/src/schemas/queue.ts';
import type { DomainEvent } from '../../shared/src/schemas/parts/events.ts';
import {
  asker,
  openBenchEnvironment,
  openProject,
  seedItems,
  signInMany,
  type BenchDatabase,
  type BenchEnvironment,
  type BenchServer,
  type Visitor,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, percentile, type Row } from './rows.ts';
import { openSocketClients, type SocketClients } from './sockets-clients.ts';
import { connectTo } from '../lib/processes/postgres-client.ts';

const SOCKETS = 1000;
/** Tabs of one person: fewer than the server allows. */
const TABS = 40;
const MOST_MIB = 250;
const SIZES = { full: { rounds: 5, decisions: 60 }, quick: { rounds: 1, decisions: 5 } };

/** Ours and the rival in turns. Throws without PostgreSQL or Redis, or on a socket without the event. */
export async function benchSockets(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  const { rounds, decisions } = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  const opened: SocketClients[] = [];
  try {
    const stage = await setUp(benchEnv, { items: (rounds + 1) * decisions, opened });
    const all = { ours: [] as number[], bare: [] as number[], memory: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      const { ours, bare } = await alternate(stage, decisions);
      // The first round warms up.
      if (round === 0) continue;
      all.ours.push(...ours);
      all.bare.push(...bare);
      all.memory.push(await stage.server.memory());
      log(
        `sockets, round ${round} of ${rounds}: ours p50 ${median(ours).toFixed(1)} ms, bare p50 ${median(bare).toFixed(1)} ms`,
      );
    }
    await stage.commits.close();
    return rowsOf(all);
  } finally {
    for (const clients of opened) clients.close();
    await benchEnv.close();
  }
}

function rowsOf(all: { ours: number[]; bare: number[]; memory: number[] }): Row[] {
  const [ours, rival, mib] = [percentile(all.ours, 0.99), percentile(all.bare, 0.99), median(all.memory)];
  const section = 'sockets';
  const measure = `ms from commit to all ${SOCKETS} sockets, p99, against a bare broadcast`;
  const memory = `MiB of the server with ${SOCKETS} sockets, against ${MOST_MIB}`;
  return [
    { section, measure, ours, rival, ratio: ours / rival, goal: '<= 2' },
    { section, measure: memory, ours: mib, rival: MOST_MIB, ratio: mib / MOST_MIB, goal: '<= 1' },
  ];
}

interface Stage {
  database: BenchDatabase;
  server: BenchServer;
  rival: BenchServer;
  people: Visitor[];
  ours: SocketClients;
  theirs: SocketClients;
  commits: Commits;
}

async function setUp(
  benchEnv: BenchEnvironment,
  { items, opened }: { items: number; opened: SocketClients[] },
): Promise<Stage> {
  const database = await benchEnv.createDatabase('bench_sockets');
  const server = await benchEnv.startServer(database);
  const rival = await benchEnv.startServer(database, { program: join(import.meta.dirname, 'sockets-rival.ts') });
  const people = await signInMany(database, SOCKETS / TABS);
  const settings = { undo_window_seconds: 30 };
  const { id } = await openProject({ server, database }, { members: people, settings });
  await seedItems(database, id, { all: items, waiting: items });
  const ours = await openSocketClients(server, people, TABS);
  opened.push(ours);
  const theirs = await openSocketClients(rival, people, TABS);
  opened.push(theirs);
  return { database, server, rival, people, ours, theirs, commits: await listenForCommits(database.url) };
}

async function alternate(stage: Stage, decisions: number): Promise<{ ours: number[]; bare: number[] }> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let turn = 0; turn < decisions; turn += 1) {
    const reviewer = stage.people[turn % stage.people.length];
    if (reviewer === undefined) throw new Error('There are people.');
    const { ms, event } = await decideOne(stage, reviewer);
    times.ours.push(ms);
    times.bare.push(await broadcastOne(stage, event));
    // Nothing becomes final while another decision is measured.
    await stage.database.sql(`update decision set undo_until = now() + interval '1 day' where final_at is null`);
  }
  return times;
}

async function decideOne(
  { server, ours, commits }: Stage,
  reviewer: Visitor,
): Promise<{ ms: number; event: DomainEvent }> {
  const ask = asker(server, reviewer);
  const taken = ours.received((event) => event.type === 'item.claimed');
  const { item, fence } = await ask<Granted>('POST', claimNext.path, {});
  await taken;
  const received = ours
    .received((event) => event.type === 'item.decided' && event.item_id === item.id)
    .then((event) => ({ event, at: now() }));
  const committed = commits.next('item.decided');
  await ask('POST', decideItem.path.replace(':id', item.id), { fence, action: 'approve' });
  const { event, at } = await received;
  return { ms: at - (await committed), event };
}

/** The same event, sent to as many sockets without anything else. */
async function broadcastOne({ rival, theirs }: Stage, event: DomainEvent): Promise<number> {
  const received = theirs.received(() => true).then(now);
  const broadcastAt = once(rival.child, 'message') as Promise<[number]>;
  rival.child.send([event]);
  const [at] = await broadcastAt;
  return (await received) - at;
}

/** Milliseconds of the clock that all processes of a machine share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

interface Commits {
  /** When the next transaction that appends such an event is committed. */
  next(type: string): Promise<number>;
  close(): Promise<void>;
}

/** PostgreSQL notifies at the commit itself. */
async function listenForCommits(url: string): Promise<Commits> {
  const client = await connectTo(url);
  await client.query(`listen ${EVENTS_APPENDED}`);
  return {
    next: (type) =>
      new Promise((resolve) => {
        const onNotification = ({ payload }: pg.Notification) => {
          if (payload?.split(',').includes(type) !== true) return;
          client.off('notification', onNotification);
          resolve(now());
        };
        client.on('notification', onNotification);
      }),
    close: () => client.end(),
  };
}
