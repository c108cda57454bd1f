// Makes the demo's history: plans when items of three weeks arrive, who reviews them and when, and runs that in order.
import type { MemberActor } from '../../../../server/src/usecases/services.ts';
import { seededRandom } from '../pipeline.ts';
import { TimeBudget } from './budget.ts';
import { makeItem, verdictOf } from './items.ts';
import { HistoryOperations, type HistoryProject, type OperationParts, type Task, type Waiting } from './operations.ts';
import { isAtWork, PEOPLE } from './people.ts';
import { roundsBefore, type Round } from './rhythm.ts';

export interface HistoryParts extends OperationParts {
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
  /** Called after each round, with the number of items so far. */
  readonly onProgress: (items: number) => void;
}

const SECOND_MS = 1000;
/** When people begin after the arrival of items, and how long they look at the queue. */
const BREAK_MS = 4 * 60 * SECOND_MS;
const SITTING_MS = 26 * 60 * SECOND_MS;
/** The undo window has ended by then. */
const FINAL_MS = 31 * SECOND_MS;
/** Where the last sitting stops, so that some items still wait. */
const LAST_SITTING_MS = 3 * 60 * SECOND_MS;

/**
 * Makes the whole history, oldest first, by services of `withMovedServices`; ends early when the signal fires. No worker may run on
 * the database meanwhile: it would act at the true time. Returns how many items it submitted.
 */
export async function makeHistory(parts: HistoryParts, signal: AbortSignal): Promise<number> {
  const schedule = new HistorySchedule(parts, await HistoryOperations.open(parts));
  let day = -1;
  const rounds = roundsBefore(parts, seededRandom(parts.seed));
  for (const [index, round] of rounds.entries()) {
    if (signal.aborted) break;
    if (day !== -1 && round.daysAgo !== day) schedule.endDay(round.at);
    day = round.daysAgo;
    await schedule.run(round, rounds[index + 1]);
    parts.onProgress(schedule.items);
  }
  await schedule.end();
  return schedule.items;
}

/** Two rounds at a time: people review the items of one while those before are settled and those after arrive. */
class HistorySchedule {
  readonly #parts: HistoryParts;
  readonly #operations: HistoryOperations;
  readonly #random: () => number;
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
  readonly #budget: TimeBudget;
  /** Items made for each planned one. */
  #density = 1;

  constructor(parts: HistoryParts, operations: HistoryOperations) {
    this.#parts = parts;
    this.#operations = operations;
    this.#budget = new TimeBudget(parts);
    this.#random = seededRandom(parts.seed + 1);
  }

  /**
   * Lets the items of a round arrive and people begin to review them; `next` arrives meanwhile. Ends when the round before is
   * settled: two at a time keep both processors busy.
   */
  async run(round: Round, next: Round | undefined): Promise<void> {
    const { end } = this.#parts;
    this.#arriving ??= this.#arrive(round);
    await this.#arriving;
    const waiting = (await this.#operations.waiting()).filter(({ id }) => !this.#assigned.has(id));
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
    this.#density = this.#budget.recordRound({
      items: this.items,
      plannedShare: this.#planned,
      spentMs: performance.now() - this.#began,
    });
  }

  #inOrder(work: () => Promise<void>): void {
    this.#settling = this.#settling.then(work);
    this.#settling.catch(() => undefined);
  }

  async #arrive(round: Round): Promise<void> {
    await Promise.all(this.#parts.projects.map((project) => this.#submit(project, round)));
  }

  /** Waits for what is in progress, and ends the last day. */
  async end(): Promise<void> {
    await this.#arriving;
    this.endDay(this.#parts.end);
    await this.#settling;
    await this.#operations.end();
  }

  /** Figures, clusters and budgets are up to date at the end of a day, not after every item. */
  endDay(at: Date): void {
    this.#inOrder(async () => {
      await this.#sending;
      await this.#operations.count(at);
    });
  }

  async #submit(project: HistoryProject, round: Round): Promise<void> {
    const { area, projectId, share } = project;
    const wanted = (this.#owed.get(projectId) ?? 0) + this.#parts.items * share * round.share * this.#density;
    const count = Math.round(wanted);
    this.#owed.set(projectId, wanted - count);
    const made = Array.from({ length: Math.max(0, count) }, () => makeItem(area, round.daysAgo, this.#random));
    const submitted = await this.#operations.submit(project, made, round.at);
    // `+=` with `await` reads the count before it waits, and loses what other projects add meanwhile.
    this.items += submitted;
    this.#planned += share * round.share;
  }

  /** One time after the other: the receiver has the time of what it receives. */
  async #settle(at: Date, { reviewed }: { reviewed: boolean }): Promise<void> {
    await this.#sending;
    await this.#operations.settle(at, { reviewed });
    this.#sending = this.#operations.deliver(at);
    this.#sending.catch(() => undefined);
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
      await this.#operations.review(who, tasks);
      for (const { item } of tasks) this.#assigned.delete(item.id);
    });
    this.#working.set(who.userId, working);
    return working;
  }
}
