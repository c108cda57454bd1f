// Runs the demo: the service in this process, a receiver that verifies signatures, the history, simulated pipelines.
import { setTimeout as delay } from 'node:timers/promises';
import { Item } from '../../../server/src/db/entities/item.ts';
import { start } from '../../../server/src/start.ts';
import type { Services } from '../../../server/src/usecases/services.ts';
import { OPEN_STATUSES } from '../../../shared/src/enums.ts';
import { sampleSubmitter } from './api.ts';
import { localAddress, receiverPort, wantsHistory } from './env.ts';
import { welcomeBlock } from './welcome.ts';
import { type PipelineParts, runPipeline, seededRandom } from './pipeline.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { DEMO_PROJECT_NAME, loadSamples, type Sample } from './samples.ts';
import { startProjects } from './start-projects.ts';

type Running = Awaited<ReturnType<typeof start>>;

/** Runs the demo until the signal fires. `pagesBuilt` resolves when there is a page to serve: the database is created meanwhile. */
export async function runDemo(
  env: NodeJS.ProcessEnv,
  pagesBuilt: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const print = (line: string): void => console.log(`  ${line}`);
  const receiver = await startReceiver({ port: receiverPort(env), print, now: () => new Date() });
  const work = Promise.withResolvers<void>();
  const running = await start(env, { signal, pagesBuilt, workAfter: work.promise }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (running === null) return;
  try {
    // Creating a database is not interrupted, but there is nothing left to show.
    if (!signal.aborted) {
      const parts = { running, receiver, base: localAddress(env), print, history: wantsHistory(env) };
      await runProjects({ ...parts, work: work.resolve }, signal);
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
async function runProjects(demo: Demo, signal: AbortSignal): Promise<void> {
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
