// `npm run demo`: the whole service in one process, with a simulated pipeline and a receiver that verifies signatures.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Item } from '../server/src/db/entities/item.ts';
import { start } from '../server/src/start.ts';
import type { Services } from '../server/src/usecases/services.ts';
import { OPEN_STATUSES } from '../shared/src/enums.ts';
import { buildWeb } from './build-web.ts';
import { sampleSubmitter } from './lib/demo/api.ts';
import { demoEnv, localAddress, portFault, receiverPort, wantsHistory } from './lib/demo/env.ts';
import { welcomeBlock } from './lib/demo/welcome.ts';
import { type PipelineParts, runPipeline, seededRandom } from './lib/demo/pipeline.ts';
import { startReceiver, type Receiver } from './lib/demo/receiver.ts';
import { DEMO_PROJECT_NAME, loadSamples, type Sample } from './lib/demo/samples.ts';
import { startProjects } from './lib/demo/start-projects.ts';
import { onStopSignal } from './lib/processes/on-stop-signal.ts';

const ROOT = join(import.meta.dirname, '..');
/** The process is killed when it has not stopped by then. */
const STOP_WITHIN_MS = 15_000;

type Running = Awaited<ReturnType<typeof start>>;

async function main(): Promise<void> {
  const env = demoEnv(process.env, ROOT);
  const fault = await portFault(env);
  if (fault !== null) throw new Error(fault);
  console.log('\n  Starting the demo …');
  const stop = new AbortController();
  onStopSignal(() => {
    console.log('\n  Stopping …');
    stop.abort();
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  });
  const print = (line: string): void => console.log(`  ${line}`);
  const receiver = await startReceiver({ port: receiverPort(env), print, now: () => new Date() });
  // The database is created while the page is built.
  const pagesBuilt = Promise.race([buildWeb({ demo: true, force: false }), once(stop.signal, 'abort')]);
  const work = Promise.withResolvers<void>();
  const running = await start(env, { signal: stop.signal, pagesBuilt, workAfter: work.promise }).catch(
    (error: unknown) => {
      if (stop.signal.aborted) return null;
      throw error;
    },
  );
  if (running === null) return;
  try {
    // Creating a database is not interrupted, but there is nothing left to show.
    if (!stop.signal.aborted) {
      const parts = { running, receiver, base: localAddress(env), print, history: wantsHistory(env) };
      await runDemo({ ...parts, work: work.resolve }, stop.signal);
    }
  } finally {
    await running.stop();
    await receiver.stop();
  }
}

interface Demo {
  readonly running: Running;
  readonly receiver: Receiver;
  readonly base: string;
  readonly print: (line: string) => void;
  /** Whether new projects get a history. */
  readonly history: boolean;
  /** Starts the loops of the worker. */
  readonly work: () => void;
}

/** Makes the history where there is none, then runs the pipelines until the signal fires. */
async function runDemo(demo: Demo, signal: AbortSignal): Promise<void> {
  const { running, receiver, print } = demo;
  const parts = { services: running.services, signals: running.signals, receiver, print };
  const { answers, toolCalls, history } = await startProjects(parts, demo.history);
  const project = { projectName: DEMO_PROJECT_NAME, projectId: answers.projectId, apiKey: answers.apiKey };
  const file = 'scripts/demo-samples.jsonl';
  console.log(welcomeBlock({ ...project, pageUrl: running.url, webhookUrl: receiver.url, file }));
  await history?.(signal).catch((error: unknown) =>
    print(`history   failed, and is made again at the next start: ${String(error)}`),
  );
  if (signal.aborted) return;
  demo.work();
  await Promise.all([
    runPipeline(pipelineOf(demo, { ...answers, samples: loadSamples() }), signal),
    runPipeline(pipelineOf(demo, { ...toolCalls, samples: loadSamples('tool_calls') }), signal),
  ]);
}

interface PipelineProject {
  readonly projectId: string;
  readonly apiKey: string;
  readonly samples: readonly Sample[];
}

function pipelineOf({ running, base, print }: Demo, { projectId, apiKey, samples }: PipelineProject): PipelineParts {
  return {
    samples,
    submit: sampleSubmitter({ base, projectId, apiKey }),
    countWaiting: () => countWaiting(running.services, projectId),
    random: seededRandom(Date.now()),
    sleep: (ms: number, until: AbortSignal) => delay(ms, undefined, { signal: until }).catch(() => undefined),
    print,
  };
}

function countWaiting({ db }: Services, projectId: string): Promise<number> {
  return db.read((em) => em.count(Item, { projectId, status: { $in: OPEN_STATUSES } }));
}

try {
  await main();
  process.exit(0);
} catch (error) {
  const debugging = process.env['LOG_LEVEL'] === 'debug';
  console.error(debugging || !(error instanceof Error) ? error : error.message);
  process.exit(1);
}
