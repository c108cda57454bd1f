// Opens the demo's projects at each start, and begins the history of those that are new.
import type { MemberActor, Services } from '../../../server/src/usecases/services.ts';
import { joinDemoPeople } from '../../../server/src/usecases/projects/demo-people.ts';
import { beginSamples, clearUnfinished, completeSamples } from '../../../server/src/usecases/projects/samples.ts';
import { demoStates, seedDemo, type SeededProject } from '../../../server/src/usecases/projects/seed-demo.ts';
import type { Signals } from '../../../server/src/db/connection/signals.ts';
import { makeHistory } from './history/history.ts';
import { movedTime, withMovedServices } from './history/moved-time.ts';
import type { HistoryProject } from './history/operations.ts';
import { PEOPLE, type DemoArea } from './history/people.ts';
import { HISTORY_DAYS } from './history/rhythm.ts';
import { HISTORY_PROJECTS, TOOL_CALLS } from './projects.ts';
import type { Receiver } from './receiver.ts';

/** The history should take 10 s. Reviews and deliveries that are in progress when the budget ends take up to half a second more. */
const SIZE = { days: HISTORY_DAYS, items: 3000, budgetMs: 9500 };
/** Any number: the same one makes the same history. */
const SEED = 32;
const DAY_MS = 24 * 60 * 60_000;
const AREAS = Object.keys(HISTORY_PROJECTS) as DemoArea[];
/** The one that a pipeline submits to. The others exist for their history alone. */
const LIVE: DemoArea = 'answers';

export interface DemoParts {
  readonly services: Services;
  readonly signals: Signals;
  readonly receiver: Receiver;
  readonly print: (line: string) => void;
  /** How long and how large the history is; three weeks of 3,000 items unless a test says otherwise. */
  readonly size?: { readonly days: number; readonly items: number; readonly budgetMs: number };
}

/** The demo's projects, ready for their pipelines. */
export interface DemoProjects {
  readonly answers: SeededProject;
  readonly toolCalls: SeededProject;
  /** Makes the history; no worker may run meanwhile. Null: there is nothing to make. */
  readonly history: ((signal: AbortSignal) => Promise<void>) | null;
}

/**
 * Finds or creates the projects. A history is made for new ones, and again for those where it was cut off; never for others.
 * `wanted`: false leaves it out (DEMO_HISTORY).
 */
export async function startProjects(parts: DemoParts, wanted: boolean): Promise<DemoProjects> {
  const { services, receiver } = parts;
  const states = await demoStates(services);
  const makes = wanted && (!states.has(LIVE) || AREAS.some((area) => states.get(area) === 'making'));
  const { people, seeded } = makes
    ? await beginHistory(parts, states)
    : { people: [], seeded: await openExistingProjects(parts, states) };
  const toolCalls = await seedDemo(services, { project: 'tool_calls', ...TOOL_CALLS, webhookUrl: receiver.url });
  for (const { webhookSecret } of [...seeded.values(), toolCalls]) receiver.useSecret(webhookSecret);
  const answers = seeded.get(LIVE);
  if (answers === undefined) throw new Error('The project of the pipeline was not opened.');
  const history = makes ? (signal: AbortSignal) => continueHistory(parts, { seeded, people }, signal) : null;
  return { answers, toolCalls, history };
}

/** Opens the projects that exist; creates the one of the pipeline if it is missing. */
async function openExistingProjects(
  { services, receiver }: DemoParts,
  states: States,
): Promise<Map<DemoArea, SeededProject>> {
  const seeded = new Map<DemoArea, SeededProject>();
  for (const area of AREAS) {
    if (area === LIVE || states.has(area)) seeded.set(area, await openProject(services, receiver, area));
  }
  return seeded;
}

function openProject(services: Services, receiver: Receiver, area: DemoArea): Promise<SeededProject> {
  const { share: _, ...seed } = HISTORY_PROJECTS[area];
  return seedDemo(services, { project: area, ...seed, webhookUrl: urlOf(receiver, area) });
}

const urlOf = ({ url, refusingUrl }: Receiver, area: DemoArea): string => (area === 'refunds' ? refusingUrl : url);

type States = Awaited<ReturnType<typeof demoStates>>;

/**
 * Creates projects and people three weeks ago; the pipelines keep the keys that they get here. What a former start left
 * unfinished is deleted.
 */
async function beginHistory(
  { services, receiver, size = SIZE }: DemoParts,
  states: States,
): Promise<{ people: MemberActor[]; seeded: Map<DemoArea, SeededProject> }> {
  const time = movedTime();
  const start = new Date(Date.now() - (size.days + 1) * DAY_MS);
  return withMovedServices(services, time, (moved) =>
    time.at(start, async () => {
      const seeded = new Map<DemoArea, SeededProject>();
      for (const area of AREAS) seeded.set(area, await openProject(moved, receiver, area));
      const projects = [...seeded.values()];
      const ids = projects.map(({ projectId }) => projectId);
      await beginSamples(services, ids, new Date());
      if (states.size > 0) for (const id of ids) await clearUnfinished(services, id);
      return { people: await joinDemoPeople(moved, { projects, people: PEOPLE }), seeded };
    }),
  );
}

async function continueHistory(
  { services, signals, receiver, print, size = SIZE }: DemoParts,
  { seeded, people }: { seeded: ReadonlyMap<DemoArea, SeededProject>; people: readonly MemberActor[] },
  signal: AbortSignal,
): Promise<void> {
  const time = movedTime();
  const began = performance.now();
  const projects = [...seeded].map(([area, { projectId, apiKey }]): HistoryProject => ({
    area,
    projectId,
    apiKey,
    share: HISTORY_PROJECTS[area].share,
  }));
  print('history   makes three weeks of sample data …');
  let told = 0;
  const onProgress = (items: number) => {
    if (items < told + size.items / 4) return;
    told = items;
    print(`history   ${items} items`);
  };
  const options = { time, projects, people, end: new Date(), ...size, seed: SEED, onProgress };
  const onDeliveries = (at: Date) => receiver.moveTo(at);
  try {
    const count = await withMovedServices(services, time, (moved) =>
      makeHistory({ ...options, services: moved, signals, onDeliveries }, signal),
    );
    if (signal.aborted) return;
    await completeSamples(
      services,
      projects.map(({ projectId }) => projectId),
    );
    print(`history   complete: ${count} items in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  } finally {
    receiver.moveTo(null);
  }
}
