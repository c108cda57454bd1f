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
  /** The shortest time between the starts of two runs, in milliseconds. */
  gapMs?: number;
  log: Logger;
}

export interface Loop {
  /** Something happened: run soon. During a run it means one more run after it. */
  nudge(): void;
  /** Starts no new run and waits for the one under way. */
  stop(): Promise<void>;
}

/** How long a failing loop rests, in milliseconds. */
const REST_MS = 1000;

export function startLoop(options: LoopOptions): Loop {
  const loop = new RunningLoop(options);
  loop.nudge();
  return loop;
}

class RunningLoop implements Loop {
  readonly #options: LoopOptions;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #nudged = false;
  #stopped = false;
  #startedAt = -Infinity;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  nudge(): void {
    if (this.#running) this.#nudged = true;
    else this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    if (this.#timer) clearTimeout(this.#timer);
    const gap = this.#startedAt + (this.#options.gapMs ?? 0) - performance.now();
    this.#timer = setTimeout(() => this.#start(), Math.max(0, ms, gap));
  }

  #start(): void {
    this.#timer = null;
    this.#nudged = false;
    this.#startedAt = performance.now();
    this.#running = this.#once().finally(() => {
      this.#running = null;
      if (this.#nudged) this.#schedule(0);
    });
  }

  async #once(): Promise<void> {
    const { run, pollMs, log, name } = this.#options;
    try {
      const next = (await run()) ?? {};
      this.#schedule(next.again ? 0 : waitFor(next.at, pollMs));
    } catch (error) {
      log.warn({ err: error, loop: name }, 'a loop run failed; it runs again');
      this.#schedule(REST_MS);
    }
  }
}

function waitFor(at: Date | null | undefined, pollMs: number): number {
  return at ? Math.min(pollMs, Math.max(0, at.getTime() - Date.now())) : pollMs;
}
