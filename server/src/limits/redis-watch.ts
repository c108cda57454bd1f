// Whether Redis answers in time: says so once when it stops and once when it does again, and keeps callers from waiting in between.

export interface WatchLog {
  warn(details: object, message: string): void;
  info(message: string): void;
}

export interface Watch {
  /** False while there is no point in asking. Finds out in the background, now and then, whether there is again. */
  isThere(): boolean;
  /** The answer, or null when there was none in time; then nobody asks again until a probe got through. */
  ask<T>(question: () => Promise<T>): Promise<{ value: T } | null>;
}

const LOOKS = 5;

interface Options {
  log: WatchLog;
  /** An answer counts when it takes no longer. */
  withinMs: number;
  /** Asks what is as good as a real question. */
  probe: () => Promise<unknown>;
  probeEveryMs?: number;
}

/** Watches one node-redis client. */
export function createWatch(client: { readonly isReady: boolean }, options: Options): Watch {
  const { log, withinMs, probeEveryMs = 1000 } = options;
  let lost = false;
  let probedAt = 0;

  const lose = (error: unknown) => {
    if (!lost) log.warn({ err: error }, 'rate limits count per process: Redis does not answer');
    lost = true;
    probedAt = performance.now();
  };

  /** While one is under way `probedAt` is young, so there is never a second one. */
  const tryAgain = async () => {
    probedAt = performance.now();
    const answered = await inTime(options.probe, withinMs).catch(() => null);
    if (answered === null || !lost) return;
    lost = false;
    log.info('rate limits are shared again');
  };

  return {
    isThere: () => {
      if (!client.isReady) lose(new Error('not connected'));
      else if (lost && performance.now() - probedAt >= probeEveryMs) void tryAgain();
      return !lost;
    },
    ask: async (question) => {
      try {
        return { value: await inTime(question, withinMs) };
      } catch (error) {
        lose(error);
        return null;
      }
    },
  };
}

/**
 * Looks several times before it gives up, each time after the event loop has turned: when this process was the slow one, the
 * question may only just have left, or its answer may be waiting to be read.
 */
async function inTime<T>(question: () => Promise<T>, withinMs: number): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks === LOOKS) reject(new Error(`No answer within ${withinMs} ms`));
    else timer = setTimeout(look, withinMs / LOOKS);
  };
  let timer = setTimeout(look, withinMs / LOOKS);
  try {
    return await Promise.race([question(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
