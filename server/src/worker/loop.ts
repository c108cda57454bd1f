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

export function startLoop({ name, run, pollMs, gapMs = 0, log }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let nudged = false;
  let stopped = false;
  let startedAt = -Infinity;

  const schedule = (ms: number) => {
    if (stopped) return;
    if (timer) clearTimeout(timer);
    const gap = startedAt + gapMs - performance.now();
    timer = setTimeout(start, Math.max(0, ms, gap));
  };
  const start = () => {
    timer = null;
    nudged = false;
    startedAt = performance.now();
    running = once().finally(() => {
      running = null;
      if (nudged) schedule(0);
    });
  };
  const once = async () => {
    try {
      const next = (await run()) ?? {};
      schedule(next.again ? 0 : waitFor(next.at, pollMs));
    } catch (error) {
      log.warn({ err: error, loop: name }, 'a loop run failed; it runs again');
      schedule(REST_MS);
    }
  };
  schedule(0);
  return {
    nudge: () => {
      if (running) nudged = true;
      else schedule(0);
    },
    stop: async () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}

function waitFor(at: Date | null | undefined, pollMs: number): number {
  return at ? Math.min(pollMs, Math.max(0, at.getTime() - Date.now())) : pollMs;
}
