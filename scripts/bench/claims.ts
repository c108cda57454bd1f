// Benchmarks claim-next by 200 concurrent reviewers, against one script of the lock store.
import { Agent } from 'node:http';
import { join } from 'node:path';
import { claimNext, releaseClaim } from '../../shared/src/routes/queue.ts';
import { freePort } from '../../server/src/embedded/address.ts';
import {
  askFast,
  openBenchEnvironment,
  openProject,
  seedItems,
  signInMany,
  type BenchServer,
  type Visitor,
} from './environment.ts';
import type { Options } from './options.ts';
import { median, type Row } from './rows.ts';

const REVIEWERS = 200;
/** More queued items than requests, as on a busy day. */
const WAITING = 5000;
const SIZES = { full: { rounds: 5, bursts: 10 }, quick: { rounds: 2, bursts: 2 } };

/** Ours and the rival in turns. Throws without PostgreSQL or Redis, on an item assigned twice, or on a person without an item. */
export async function benchClaims(log: (line: string) => void, { quick }: Options): Promise<Row[]> {
  const { rounds, bursts } = SIZES[quick ? 'quick' : 'full'];
  const benchEnv = await openBenchEnvironment();
  const agent = new Agent({ keepAlive: true, maxSockets: REVIEWERS });
  try {
    const database = await benchEnv.createDatabase('bench_claims');
    const rivalPort = await freePort();
    const program = join(import.meta.dirname, 'claims-server.ts');
    const server = await benchEnv.startServer(database, { program, env: { BENCH_RIVAL_PORT: String(rivalPort) } });
    const reviewers = await signInMany(database, REVIEWERS);
    const { id } = await openProject({ server, database }, { members: reviewers });
    await seedItems(database, id, { all: WAITING, waiting: WAITING });
    const target = { agent, reviewers, server };
    const rival = { ...target, server: { ...server, url: `http://localhost:${rivalPort}` } };
    const rates = { ours: [] as number[], rival: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      const turn = { ours: [] as number[], rival: [] as number[] };
      for (let burst = 0; burst < bursts; burst += 1) {
        turn.rival.push((await pressNext(rival)).rate);
        const { rate, grants } = await pressNext(target);
        turn.ours.push(rate);
        await giveBack(target, grants);
      }
      // The first round warms up.
      if (round === 0) continue;
      rates.ours.push(median(turn.ours));
      rates.rival.push(median(turn.rival));
      log(
        `claims, round ${round} of ${rounds}: ours ${median(turn.ours).toFixed(0)}/s, one script ${median(turn.rival).toFixed(0)}/s`,
      );
    }
    const [ours, other] = [median(rates.ours), median(rates.rival)];
    const measure = `claim-next/s, ${REVIEWERS} at once, against a bare Redis script call`;
    return [{ section: 'claims', measure, ours, rival: other, ratio: ours / other, goal: '>= 0.3' }];
  } finally {
    agent.destroy();
    await benchEnv.close();
  }
}

interface ClaimTarget {
  agent: Agent;
  reviewers: Visitor[];
  server: BenchServer;
}

interface Grant {
  item: { id: string };
  fence: number;
}

/** All request at the same moment; returns claims per second until the last has an item. Throws on a shared or missing item. */
async function pressNext(target: ClaimTarget): Promise<{ rate: number; grants: Grant[] }> {
  const startedAt = performance.now();
  const texts = await Promise.all(
    target.reviewers.map((visitor) => askFast(target, { ...claimNext, visitor, body: '{}' })),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const grants = texts.map((text) => JSON.parse(text) as Grant);
  const distinct = new Set(grants.map((grant) => grant.item.id)).size;
  if (distinct !== target.reviewers.length)
    throw new Error(`${target.reviewers.length} people were handed ${distinct} items.`);
  return { rate: target.reviewers.length / seconds, grants };
}

async function giveBack(target: ClaimTarget, grants: Grant[]): Promise<void> {
  const back = grants.map(async ({ item, fence }, index) => {
    const visitor = target.reviewers[index];
    if (visitor === undefined) throw new Error('There is a grant for each reviewer.');
    const path = releaseClaim.path.replace(':id', item.id);
    await askFast(target, { method: releaseClaim.method, path, visitor, body: JSON.stringify({ fence }) });
  });
  await Promise.all(back);
}
