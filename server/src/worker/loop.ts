// Runs a function on a wake-up, at a due time or after the poll interval, one run at a time.
import type { Logger } from 'pino';
import type { Next } from '../delivery/send-permits.ts';

export type { Next };

export interface LoopOptions {
  name: string;
  run: () => Promise<Next | void>;
  /** The maximum time between two runs, in milliseconds: covers lost wake-ups. */
  pollMs: number;
  /** The delay of the first run, in milliseconds, which a wake-up ends; none by default. */
  firstMs?: number;
  /** The minimum time between the starts of two runs, in milliseconds: one for all wake-ups, or by urgency; 0 by default. */
  gapMs?: number | Gaps;
  log: Logger;
  /** Called after every run. */
  onRun?: (seen: { loop: string; failed: boolean; seconds: number }) => void;
}

/** How soon a wake-up needs a run: `low` can wait. A run that follows with `again` is `high`. */
export type Urgency = 'low' | 'normal' | 'high';

/** The gap by urgency; by default `normal`. */
export interface Gaps extends Partial<Record<Urgency, number>> {
  normal: number;
}

const RANK = { low: 1, normal: 2, high: 3 } as const satisfies Record<Urgency, number>;
const rank = (urgency: Urgency | null): number => (urgency === null ? 0 : RANK[urgency]);

export interface Loop {
  /** Something happened: run soon; `normal` by default. During a run, it causes one more run after it. */
  wake(urgency?: Urgency): void;
  /** Starts no new run and waits for the current one. */
  stop(): Promise<void>;
}

/** The pause after a failed run, in milliseconds. */
const REST_MS = 1000;

/**
 * Staggers the first runs of loops: gives the `firstMs` of each. At once, each would open a connection to the database, and they
 * would use as many again after every poll interval.
 */
export function spreadStarts(): () => number {
  let at = 0;
  return () => {
    const start = at;
    at += SPREAD_MS;
    return start;
  };
}

/** Longer than most runs that find nothing to do. */
const SPREAD_MS = 30;

/** The only loop of the system; it drains on stop. */
export function startLoop(options: LoopOptions): Loop {
  const loop = new RunningLoop(options);
  loop.begin();
  return loop;
}

class RunningLoop implements Loop {
  readonly #options: LoopOptions;
  /** Cancels the scheduled run. */
  #cancel: (() => void) | null = null;
  /** The scheduled time, by `performance.now()`. */
  #due = Infinity;
  #running: Promise<void> | null = null;
  /** The most urgent wake-up during this run. */
  #woken: Urgency | null = null;
  #stopped = false;
  #startedAt = -Infinity;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#schedule(this.#options.firstMs ?? 0);
  }

  wake(urgency: Urgency = 'normal'): void {
    if (!this.#running) this.#schedule(0, urgency);
    else if (rank(urgency) > rank(this.#woken)) this.#woken = urgency;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /** Never later than already scheduled: the earlier of two times counts. */
  #schedule(ms: number, urgency: Urgency = 'normal'): void {
    if (this.#stopped) return;
    const now = performance.now();
    const due = Math.max(now + ms, this.#startedAt + this.#gapOf(urgency));
    if (this.#cancel && due >= this.#due) return;
    this.#cancel?.();
    this.#due = due;
    this.#cancel = runAfter(due - now, () => this.#start());
  }

  #gapOf(urgency: Urgency): number {
    const { gapMs = 0 } = this.#options;
    return typeof gapMs === 'number' ? gapMs : (gapMs[urgency] ?? gapMs.normal);
  }

  #start(): void {
    this.#cancel = null;
    this.#woken = null;
    this.#startedAt = performance.now();
    this.#running = this.#once().finally(() => {
      this.#running = null;
      if (this.#woken !== null) this.#schedule(0, this.#woken);
    });
  }

  async #once(): Promise<void> {
    const { run, pollMs, log, name, onRun } = this.#options;
    const seen = (failed: boolean) =>
      onRun?.({ loop: name, failed, seconds: (performance.now() - this.#startedAt) / 1000 });
    try {
      const next = (await run()) ?? {};
      seen(false);
      // What is left behind is urgent: the gap of others would only delay it.
      this.#schedule(next.again ? 0 : waitFor(next.at, pollMs), next.again ? 'high' : 'normal');
    } catch (error) {
      seen(true);
      log.warn({ err: error, loop: name }, 'a loop run failed; it will be retried');
      this.#schedule(REST_MS);
    }
  }
}

/**
 * Runs it after `ms`, or immediately for 0, because the minimum of a timer is 1 ms. Returns a function that cancels it.
 */
function runAfter(ms: number, run: () => void): () => void {
  if (ms > 0) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }
  const immediate = setImmediate(run);
  return () => clearImmediate(immediate);
}

/** The time by our own clock; null for null. Only the difference comes from the database. */
export const secondsFromNow = (seconds: number | null): Date | null =>
  seconds === null ? null : new Date(Date.now() + Math.max(0, seconds * 1000) + 1);

function waitFor(at: Date | null | undefined, pollMs: number): number {
  return at ? Math.min(pollMs, Math.max(0, at.getTime() - Date.now())) : pollMs;
}
