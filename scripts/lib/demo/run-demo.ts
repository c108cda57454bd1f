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
import { startProjects, type DemoProjects } from './start-projects.ts';

type Running = Awaited<ReturnType<typeof start>>;
type Opened = Pick<Running, 'services' | 'signals'>;

/**
 * Runs the demo until the signal fires. `pagesBuilt` resolves when there is a page to serve: the database and the projects are
 * created meanwhile. The history is not: it would take the processors from the build.
 */
export async function runDemo(
  env: NodeJS.ProcessEnv,
  pagesBuilt: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const print = (line: string): void => console.log(`  ${line}`);
  const receiver = await startReceiver({ port: receiverPort(env), print, now: () => new Date() });
  const [opened, work] = [Promise.withResolvers<Opened>(), Promise.withResolvers<void>()];
  const projects = opened.promise.then((each) => startProjects({ ...each, receiver, print }, wantsHistory(env)));
  projects.catch(() => undefined);
  // A start that fails closes the database: not while projects are created.
  const built = pagesBuilt.catch(async (error: unknown) => {
    await Promise.allSettled([projects]);
    throw error;
  });
  const options = { signal, pagesBuilt: built, workAfter: work.promise, onDatabase: opened.resolve };
  const running = await start(env, options).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (running === null) return;
  try {
    const demo = { running, receiver, base: localAddress(env), print, work: work.resolve };
    await runProjects(demo, await projects, signal);
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
  /** Starts the loops of the worker. */
  readonly work: () => void;
}

/** Makes the history where there is none, then runs the pipelines until the signal fires. */
async function runProjects(
  demo: Demo,
  { answers, toolCalls, history }: DemoProjects,
  signal: AbortSignal,
): Promise<void> {
  // There is nothing left to show.
  if (signal.aborted) return;
  const { running, receiver, print } = demo;
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
