// Makes the demo's history: items, decisions, audits and deliveries of three weeks, through the ordinary use cases.
import { createDeliverer, type Deliverer } from '../../../../server/src/delivery/deliver.ts';
import type { Signals } from '../../../../server/src/db/connection/signals.ts';
import { rawQuery } from '../../../../server/src/db/raw-query.ts';
import { claim } from '../../../../server/src/usecases/claims/claim.ts';
import { decide } from '../../../../server/src/usecases/decisions/decide.ts';
import { submitBatch } from '../../../../server/src/usecases/items/submit.ts';
import { checkApiKey } from '../../../../server/src/usecases/credentials/check-api-key.ts';
import type { ApiKeyActor, MemberActor, Services } from '../../../../server/src/usecases/services.ts';
import { finalizeOnce } from '../../../../server/src/worker/finalize.ts';
import { relayOnce } from '../../../../server/src/worker/relay.ts';
import { assignClustersOnce, countOnce } from '../../../../server/src/worker/start-worker.ts';
import { watchBudgetsOnce } from '../../../../server/src/worker/watch-budgets.ts';
import { OPEN_STATUSES } from '../../../../shared/src/enums.ts';
import { Refusal } from '../../../../shared/src/errors.ts';
import { seededRandom } from '../pipeline.ts';
import { makeItem, verdictOf, type Truth } from './items.ts';
import type { MovedTime } from './moved-time.ts';
import { isAtWork, PEOPLE, type DemoArea } from './people.ts';
import { roundsBefore, type Round } from './rhythm.ts';

export interface HistoryProject {
  readonly area: DemoArea;
  readonly projectId: string;
  readonly apiKey: string;
  /** The share of all items that it gets. */
  readonly share: number;
}

export interface HistoryParts {
  readonly services: Services;
  readonly signals: Signals;
  readonly time: MovedTime;
  readonly projects: readonly HistoryProject[];
  /** The members who review, in the order of `PEOPLE`. */
  readonly people: readonly MemberActor[];
  /** When the history ends; items of that day still wait. */
  readonly end: Date;
  readonly days: number;
  /** How many items, about. */
  readonly items: number;
  /** How long it may take, in milliseconds: on a slower machine it gets fewer items. */
  readonly budgetMs: number;
  readonly seed: number;
  /** Called before deliveries are sent, with their time. */
  readonly onDeliveries: (at: Date) => void;
  /** Called after each round, with the number of items so far. */
  readonly onProgress: (items: number) => void;
}

const SECOND_MS = 1000;
/** When people begin after the arrival of items, and how long they look at the queue. */
const BREAK_MS = 4 * 60 * SECOND_MS;
const SITTING_MS = 26 * 60 * SECOND_MS;
/** The undo window has ended by then. */
const FINAL_MS = 31 * SECOND_MS;
/** Fewer would show nothing. */
const LOWEST_DENSITY = 0.15;
/** Where the last sitting stops, so that some items still wait. */
const LAST_SITTING_MS = 3 * 60 * SECOND_MS;

/**
 * Makes the whole history, oldest first, by services of `withMovedServices`; ends early when the signal fires. No worker may run on
 * the database meanwhile: it would act at the true time. Returns how many items it submitted.
 */
export async function makeHistory(parts: HistoryParts, signal: AbortSignal): Promise<number> {
  const maker = await HistoryMaker.open(parts);
  let day = -1;
  const rounds = roundsBefore(parts, seededRandom(parts.seed));
  for (const [index, round] of rounds.entries()) {
    if (signal.aborted) break;
    if (day !== -1 && round.daysAgo !== day) maker.endDay(round.at);
    day = round.daysAgo;
    await maker.run(round, rounds[index + 1]);
    parts.onProgress(maker.items);
  }
  await maker.end();
  return maker.items;
}

/** An item that waits for a person, with what is known of it. */
interface Waiting {
  id: string;
  /** It waits for a supervisor. */
  escalated: boolean;
  area: DemoArea;
  suggestion: string;
  truth: Truth;
}

class HistoryMaker {
  readonly #parts: HistoryParts;
  readonly #services: Services;
  readonly #deliverer: Deliverer;
  readonly #pipelines: ReadonlyMap<string, ApiKeyActor>;
  readonly #random: () => number;
  readonly #known = new Map<string, Omit<Waiting, 'id' | 'escalated'>>();
  /** What is left of an item of each project: shares are not whole numbers. */
  readonly #owed = new Map<string, number>();
  items = 0;
  /** The items of the next round, which arrive while people review this one. */
  #arriving: Promise<void> | null = null;
  /** Of each person: ends with the last review that they were given. */
  readonly #working = new Map<string, Promise<void>>();
  /** The items that were given to a person and are not decided yet. */
  readonly #assigned = new Set<string>();
  /** Rounds are settled and days end one after the other, while people review the next round. */
  #settling: Promise<void> = Promise.resolve();
  /** `#settling` as it was after the round before. */
  #settlingBefore: Promise<void> = Promise.resolve();
  /** Its deliveries are sent meanwhile, too. */
  #sending: Promise<void> = Promise.resolve();
  readonly #began = performance.now();
  /** The share of the items so far, as planned. */
  #planned = 0;
  /** The share of the planned items that is made. */
  #density = 1;

  private constructor(parts: HistoryParts, services: Services, pipelines: ReadonlyMap<string, ApiKeyActor>) {
    this.#parts = parts;
    this.#services = services;
    this.#pipelines = pipelines;
    this.#deliverer = createDeliverer(services, LOCAL_RECEIVERS);
    this.#random = seededRandom(parts.seed + 1);
  }

  static async open(parts: HistoryParts): Promise<HistoryMaker> {
    const { services } = parts;
    const pipelines = new Map<string, ApiKeyActor>();
    for (const { projectId, apiKey } of parts.projects) pipelines.set(projectId, await checkApiKey(services, apiKey));
    return new HistoryMaker(parts, services, pipelines);
  }

  /**
   * Lets the items of a round arrive and people begin to review them; `next` arrives meanwhile. Ends when the round before is
   * settled: two at a time keep both processors busy.
   */
  async run(round: Round, next: Round | undefined): Promise<void> {
    const { end } = this.#parts;
    this.#arriving ??= this.#arrive(round);
    await this.#arriving;
    const waiting = await this.#waiting();
    this.#arriving = next === undefined ? null : this.#arrive(next);
    // Its failure ends the history where it is awaited, as that of `#settling`.
    this.#arriving?.catch(() => undefined);
    const isLast = end.getTime() - round.at.getTime() < BREAK_MS + SITTING_MS;
    const from = round.at.getTime() + BREAK_MS;
    const until = from + (isLast ? LAST_SITTING_MS : SITTING_MS);
    const { last, done } = this.#review(waiting, { round, from, until });
    const at = new Date(Math.min((last ?? from) + FINAL_MS, end.getTime()));
    this.#inOrder(async () => {
      await done;
      await this.#settle(at, { reviewed: last !== null });
    });
    await this.#settlingBefore;
    this.#settlingBefore = this.#settling;
    this.#keepToBudget();
  }

  #inOrder(work: () => Promise<void>): void {
    this.#settling = this.#settling.then(work);
    this.#settling.catch(() => undefined);
  }

  async #arrive(round: Round): Promise<void> {
    const { time, projects } = this.#parts;
    await Promise.all(projects.map((project) => time.at(round.at, () => this.#submit(project, round))));
    this.#planned += round.share;
  }

  /** Waits for what is in progress, and ends the last day. */
  async end(): Promise<void> {
    await this.#arriving;
    this.endDay(this.#parts.end);
    await this.#settling;
    await this.#deliverer.drain();
  }

  /** Compares the time that items took so far with what is left of the budget. */
  #keepToBudget(): void {
    const { items, budgetMs } = this.#parts;
    const spentMs = performance.now() - this.#began;
    const affordable = (Math.max(0, budgetMs - spentMs) / spentMs) * this.items;
    const wanted = items * (1 - this.#planned);
    if (this.items > 0 && wanted > 0) this.#density = Math.min(1, Math.max(LOWEST_DENSITY, affordable / wanted));
  }

  /** Figures, clusters and budgets are up to date at the end of a day, not after every item. */
  endDay(at: Date): void {
    this.#inOrder(async () => {
      await this.#sending;
      await this.#parts.time.at(at, () => this.#count(at));
    });
  }

  async #count(until: Date): Promise<void> {
    while ((await relayOnce(this.#services, this.#parts.signals, { until })).again);
    while ((await assignClustersOnce(this.#services)).again);
    while ((await countOnce(this.#services)).again);
    await watchBudgetsOnce(this.#services);
  }

  async #submit({ area, projectId, share }: HistoryProject, round: Round): Promise<void> {
    const wanted = (this.#owed.get(projectId) ?? 0) + this.#parts.items * share * round.share * this.#density;
    const count = Math.round(wanted);
    this.#owed.set(projectId, wanted - count);
    const pipeline = this.#pipelines.get(projectId);
    if (count <= 0 || pipeline === undefined) return;
    const made = Array.from({ length: count }, () => makeItem(area, round.daysAgo, this.#random));
    const items = made.map(({ submission }) => submission);
    const { results } = await submitBatch(this.#services, pipeline, { items, idempotency: null });
    this.items += results.length;
    results.forEach(({ item }, index) => {
      const { submission, truth } = made[index] ?? {};
      if (submission && truth) this.#known.set(item.id, { area, suggestion: submission.suggestion.raw, truth });
    });
  }

  /** Decisions become final, events get their place in the event log, and what is due is delivered. */
  async #settle(at: Date, { reviewed }: { reviewed: boolean }): Promise<void> {
    const { time, signals, onDeliveries } = this.#parts;
    const relayed = { capacity: this.#deliverer, until: at };
    // One time after the other: the receiver has the time of what it receives.
    await this.#sending;
    await time.at(at, async () => {
      onDeliveries(at);
      if (reviewed) while ((await finalizeOnce(this.#services)).again);
      while ((await relayOnce(this.#services, signals, relayed)).again);
    });
    this.#sending = time.at(at, () => this.#deliver());
    this.#sending.catch(() => undefined);
  }

  /** Waits for the first attempts, then sends those that had no room, and retries. */
  async #deliver(): Promise<void> {
    await this.#deliverer.settled();
    while ((await this.#deliverer.runOnce()).again) await this.#deliverer.settled();
  }

  /** Everyone who is at work takes one item after the other. `last`: when the last one is decided; null if none is. */
  #review(
    waiting: readonly Waiting[],
    { round, ...sitting }: { round: Round; from: number; until: number },
  ): { last: number | null; done: Promise<unknown> } {
    const free = PEOPLE.flatMap((person, index) => {
      const who = this.#parts.people[index];
      return who && isAtWork(person, round.at, round.daysAgo)
        ? [{ person, who, at: sitting.from, tasks: [] as Task[] }]
        : [];
    });
    for (const item of waiting) {
      const able = free.filter(
        ({ person, at }) =>
          at < sitting.until && person.reviews.includes(item.area) && (!item.escalated || person.role === 'supervisor'),
      );
      const next = able.toSorted((one, other) => one.at - other.at)[0];
      if (next === undefined) continue;
      const verdict = verdictOf(item.truth, item.suggestion, { person: next.person, random: this.#random });
      const begin = next.at + (1 + this.#random() * 9) * SECOND_MS;
      next.at = begin + verdict.seconds * SECOND_MS;
      next.tasks.push({ item, verdict, begin, end: next.at });
    }
    const busy = free.filter(({ tasks }) => tasks.length > 0);
    const done = Promise.all(busy.map(({ who, tasks }) => this.#workLater(who, tasks)));
    done.catch(() => undefined);
    return { last: busy.length === 0 ? null : Math.max(...busy.map(({ at }) => at)), done };
  }

  /** After what this person has to do already. */
  #workLater(who: MemberActor, tasks: readonly Task[]): Promise<void> {
    for (const { item } of tasks) this.#assigned.add(item.id);
    const before = this.#working.get(who.userId) ?? Promise.resolve();
    const working = before.then(async () => {
      await this.#work(who, tasks);
      for (const { item } of tasks) this.#assigned.delete(item.id);
    });
    this.#working.set(who.userId, working);
    return working;
  }

  /** Oldest first. Items of other people, who may use the demo already, are left to them. */
  async #waiting(): Promise<Waiting[]> {
    const ids = this.#parts.projects.map(({ projectId }) => projectId);
    const rows = await this.#services.db.read((em) =>
      rawQuery<{ id: string; escalated: boolean }>(em, WAITING, [ids, OPEN_STATUSES]),
    );
    return rows.flatMap(({ id, escalated }) => {
      const known = this.#assigned.has(id) ? undefined : this.#known.get(id);
      return known === undefined ? [] : [{ id, escalated, ...known }];
    });
  }

  /** The next item is claimed while the decision before it is stored. Two claims of a person would wait for each other. */
  async #work(who: MemberActor, tasks: readonly Task[]): Promise<void> {
    let deciding: Promise<unknown> = Promise.resolve();
    for (const task of tasks) {
      const [fence] = await Promise.all([this.#claim(who, task), deciding]);
      deciding = fence === null ? Promise.resolve() : this.#decide(who, task, fence);
    }
    await deciding;
  }

  /** The fence; null when somebody who uses the demo took the item, or this person may not decide it: it waits for others. */
  #claim(who: MemberActor, { item, begin }: Task): Promise<number | null> {
    const claiming = this.#parts.time.at(new Date(begin), () => claim(this.#services, who, item.id));
    return orNull(claiming.then(({ fence }) => fence));
  }

  #decide(who: MemberActor, { item, verdict, end }: Task, fence: number): Promise<unknown> {
    const { action, output, reason } = verdict;
    const decision = { itemId: item.id, fence, action, output, reason, note: null };
    return orNull(this.#parts.time.at(new Date(end), () => decide(this.#services, who, decision)));
  }
}

/** $1: the projects; $2: the statuses. */
const WAITING = `
  select id, status = 'escalated' as escalated from item
  where project_id = any($1::uuid[]) and status = any($2) and claimed_by is null order by created_at, id limit 400`;

/** Null when it is refused. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

interface Task {
  item: Waiting;
  verdict: ReturnType<typeof verdictOf>;
  begin: number;
  end: number;
}

/** The receivers of the history are in the demo's own process. */
const LOCAL_RECEIVERS = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };
