// The only loop of the system: run when nudged, when something is due, or after a while anyway; one run at a time; drain on stop.
import type { Logger } from 'pino';

/** What a run says about the next one: `again` at once, or `at` a known time; otherwise the poll decides. */
export interface Next {
  again?: boolean;
  at?: Date | null;
}

export interface LoopOptions {
  name: string;
  run: () => Promise<Next | void>;
  /** The longest silence between two runs, in milliseconds: the net under lost nudges. */
  pollMs: number;
  /** The shortest time between the starts of two runs, in milliseconds, and the one for what is urgent; 0, and the same, unless told. */
  gapMs?: number;
  urgentGapMs?: number;
  log: Logger;
  /** Is told of every run when it is over. */
  onRun?: (seen: { loop: string; failed: boolean; seconds: number }) => void;
}

export interface Loop {
  /** Something happened: run soon, or sooner when it is urgent. During a run it means one more run after it. */
  wake(urgent?: boolean): void;
  /** Starts no new run and waits for the one under way. */
  stop(): Promise<void>;
}

/** How long a failing loop rests, in milliseconds. */
const REST_MS = 1000;

export function startLoop(options: LoopOptions): Loop {
  const loop = new RunningLoop(options);
  loop.wake();
  return loop;
}

class RunningLoop implements Loop {
  readonly #options: LoopOptions;
  /** Takes back the run that is to come. */
  #cancel: (() => void) | null = null;
  /** When that is, by `performance.now()`. */
  #due = Infinity;
  #running: Promise<void> | null = null;
  #woken: 'no' | 'yes' | 'urgently' = 'no';
  #stopped = false;
  #startedAt = -Infinity;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  wake(urgent = false): void {
    if (!this.#running) this.#schedule(0, urgent);
    else if (urgent) this.#woken = 'urgently';
    else if (this.#woken === 'no') this.#woken = 'yes';
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /** Never later than it was scheduled already: of two reasons to run the sooner one counts. */
  #schedule(ms: number, urgent = false): void {
    if (this.#stopped) return;
    const { gapMs = 0, urgentGapMs = gapMs } = this.#options;
    const now = performance.now();
    const due = Math.max(now + ms, this.#startedAt + (urgent ? urgentGapMs : gapMs));
    if (this.#cancel && due >= this.#due) return;
    this.#cancel?.();
    this.#due = due;
    this.#cancel = after(due - now, () => this.#start());
  }

  #start(): void {
    this.#cancel = null;
    this.#woken = 'no';
    this.#startedAt = performance.now();
    this.#running = this.#once().finally(() => {
      this.#running = null;
      if (this.#woken !== 'no') this.#schedule(0, this.#woken === 'urgently');
    });
  }

  async #once(): Promise<void> {
    const { run, pollMs, log, name, onRun } = this.#options;
    const seen = (failed: boolean) =>
      onRun?.({ loop: name, failed, seconds: (performance.now() - this.#startedAt) / 1000 });
    try {
      const next = (await run()) ?? {};
      seen(false);
      this.#schedule(next.again ? 0 : waitFor(next.at, pollMs));
    } catch (error) {
      seen(true);
      log.warn({ err: error, loop: name }, 'a loop run failed; it runs again');
      this.#schedule(REST_MS);
    }
  }
}

/** Runs it after `ms`, at once when that is none: a timer's least is 1 ms. Answers what takes it back. */
function after(ms: number, run: () => void): () => void {
  if (ms > 0) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }
  const immediate = setImmediate(run);
  return () => clearImmediate(immediate);
}

function waitFor(at: Date | null | undefined, pollMs: number): number {
  return at ? Math.min(pollMs, Math.max(0, at.getTime() - Date.now())) : pollMs;
}
