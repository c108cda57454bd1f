// Benchmarks the queue page at a million items against ten thousand: rows and counts in one response.
import {
  asker,
  openBenchEnvironment,
  openProject,
  seedItems,
  signInMany,
  type BenchEnvironment,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';
import { listQueue } from '../../shared/src/routes/queue.ts';
import type { QueueView } from '../../shared/src/enums.ts';

const SIZES = {
  full: { large: 1_000_000, small: 10_000, rounds: 5, asked: 30 },
  quick: { large: 50_000, small: 10_000, rounds: 1, asked: 5 },
};
/** What waits among them. Most of a long life is decided; a queue nobody works on is the other end. */
const CASES = {
  '5 000 waiting': () => 5000,
  'all waiting': (all: number) => all,
} satisfies Record<string, (all: number) => number>;
const VIEWS = ['available', 'all'] as const satisfies QueueView[];
const LIMIT = 500;

type TimedRequest = (view: QueueView) => Promise<number>;

/** Both in turns. Throws without PostgreSQL or Redis. */
export async function benchQueue(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  const size = SIZES[quick ? 'quick' : 'full'];
  const rows: Row[] = [];
  for (const [name, waiting] of Object.entries(CASES)) {
    const benchEnv = await openBenchEnvironment();
    try {
      const large = await queueOf(benchEnv, { name: 'bench_large', all: size.large, waiting: waiting(size.large) });
      const small = await queueOf(benchEnv, { name: 'bench_small', all: size.small, waiting: waiting(size.small) });
      for (const view of VIEWS) {
        const [ours, rival] = await alternate({ large, small, view, size });
        log(
          `queue, ${name}, ${view}: ${ours.toFixed(1)} ms at ${size.large} items, ${rival.toFixed(1)} ms at ${size.small}`,
        );
        const measure = `ms of view ${view}, ${name}, at ${size.large} items against ${size.small}`;
        rows.push({ section: 'queue', measure, ours, rival, ratio: ours / rival, goal: '<= 1.5' });
      }
    } finally {
      await benchEnv.close();
    }
  }
  return rows;
}

interface QueueComparison {
  large: TimedRequest;
  small: TimedRequest;
  view: QueueView;
  size: { rounds: number; asked: number };
}

async function alternate({ large, small, view, size }: QueueComparison): Promise<[large: number, small: number]> {
  const medians = { large: [] as number[], small: [] as number[] };
  for (let round = 0; round <= size.rounds; round += 1) {
    const times = { large: [] as number[], small: [] as number[] };
    for (let turn = 0; turn < size.asked; turn += 1) {
      times.large.push(await large(view));
      times.small.push(await small(view));
    }
    // The first round warms up.
    if (round === 0) continue;
    medians.large.push(median(times.large));
    medians.small.push(median(times.small));
  }
  return [median(medians.large), median(medians.small)];
}

/** A server with this many items; returns a function that requests the first page of a view, in milliseconds. */
async function queueOf(
  benchEnv: BenchEnvironment,
  count: { name: string; all: number; waiting: number },
): Promise<TimedRequest> {
  const database = await benchEnv.createDatabase(count.name);
  const server = await benchEnv.startServer(database);
  const [reviewer] = await signInMany(database, 1);
  if (reviewer === undefined) throw new Error('Somebody was signed in.');
  const { id } = await openProject({ server, database }, { members: [reviewer] });
  await seedItems(database, id, count);
  const ask = asker(server, reviewer);
  return async (view) => {
    const startedAt = performance.now();
    const { data } = await ask<{ data: unknown[] }>('GET', `${listQueue.path}?view=${view}&limit=${LIMIT}`);
    const ms = performance.now() - startedAt;
    if (data.length !== LIMIT) throw new Error(`${data.length} lines, not ${LIMIT}.`);
    return ms;
  };
}
