// Simulates the users of the bench day: a pipeline, people who review, and an open analytics page.
import type { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { submitItem } from '../../../shared/src/routes/public.ts';
import { claimNext, decideItem } from '../../../shared/src/routes/queue.ts';
import { loadSamples } from '../../lib/demo/samples.ts';
import { QUESTIONS } from '../analytics.ts';
import { askFast, type BenchProject, type BenchServer, type Visitor } from '../environment.ts';

export interface Stage {
  agent: Agent;
  server: BenchServer;
  project: BenchProject;
}

/** Requests of the pipeline that may be under way at once. */
const CONNECTIONS = 32;
/** One item in so many is for people. */
const FOR_PEOPLE = 10;
/** A decision in so many changes the answer. */
const EDITED = 10;
/** How long somebody waits who finds no item, and between two looks at analytics. Ms. */
const PAUSE_MS = 100;
const LOOK_MS = 1000;

/** Called with the latency of each answer in ms, and for the pipeline with the number of the item from 0. */
type Report = (ms: number, n: number) => unknown;

/** Submits items one by one, so many per second, or as fast as they are accepted. Throws when one is refused. */
export async function submitAll(
  { agent, server, project }: Stage,
  { items, perSecond }: { items: number; perSecond: number },
  report: Report,
): Promise<void> {
  const bodies = bodiesOf(project.id);
  const startedAt = performance.now();
  let next = 0;
  const connection = async () => {
    for (let n = next++; n < items; n = next++) {
      const early = startedAt + (n / perSecond) * 1000 - performance.now();
      if (early >= 1) await delay(early);
      const body = bodies[n % bodies.length];
      const [ms] = await timed(() => askFast({ agent, server }, { ...submitItem, apiKey: project.apiKey, body }));
      report(ms, n);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

/** The demo's answers; every tenth is not sure enough to pass without people. */
function bodiesOf(projectId: string): string[] {
  const samples = loadSamples();
  return Array.from({ length: samples.length * FOR_PEOPLE }, (_, n) => {
    const confidence = n % FOR_PEOPLE === 0 ? 0.8 : 0.99;
    return JSON.stringify({ ...samples[n % samples.length], project_id: projectId, confidence, risk_flags: [] });
  });
}

/** Takes and decides one item after the other until told to stop; reports how long each claim-next took that found one. */
export async function reviewAll(
  stage: Stage,
  visitor: Visitor,
  { report, stop }: { report: Report; stop: AbortSignal },
): Promise<void> {
  for (let n = 0; !stop.aborted;) {
    const [ms, text] = await timed(() => askFast(stage, { ...claimNext, visitor, body: '{}' }));
    if (text === '') {
      await delay(PAUSE_MS);
      continue;
    }
    report(ms, n);
    const { item, fence } = JSON.parse(text) as { item: { id: string }; fence: number };
    const decision =
      n % EDITED === 0 ? { action: 'edit', output: `Edited ${n}`, reason: 'Wrong fact' } : { action: 'approve' };
    const path = decideItem.path.replace(':id', item.id);
    await askFast(stage, { method: decideItem.method, path, visitor, body: JSON.stringify({ fence, ...decision }) });
    n += 1;
  }
}

/** Asks what the analytics page asks, one question after the other, until told to stop. */
export async function watchAnalytics(
  stage: Stage,
  { report, stop }: { report: Report; stop: AbortSignal },
): Promise<void> {
  const { project } = stage;
  for (let n = 0; !stop.aborted; n += 1) {
    for (const addressOf of Object.values(QUESTIONS)) {
      const path = addressOf().replace(':id', project.id);
      const [ms] = await timed(() => askFast(stage, { method: 'GET', path, visitor: project.owner }));
      report(ms, n);
    }
    await delay(LOOK_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function timed<T>(run: () => Promise<T>): Promise<[ms: number, value: T]> {
  const startedAt = performance.now();
  const value = await run();
  return [performance.now() - startedAt, value];
}
