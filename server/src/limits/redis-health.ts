// Whether Redis answers in time: says so once when it stops and once when it does again, and keeps callers from waiting in between.

export interface RedisHealthLog {
  warn(details: object, message: string): void;
  info(message: string): void;
}

export interface RedisHealth {
  /** False while there is no point in asking. Finds out in the background, now and then, whether there is again. */
  isAvailable(): boolean;
  /** The answer, or null when there was none in time; then nobody asks again until a probe got through. */
  ask<T>(question: () => Promise<T>): Promise<{ value: T } | null>;
}

const TIMEOUT_CHECKS = 5;

interface Options {
  log: RedisHealthLog;
  /** An answer counts when it takes no longer. */
  withinMs: number;
  /** Asks what is as good as a real question. */
  probe: () => Promise<unknown>;
  probeEveryMs?: number;
}

/** Watches one node-redis client. */
export function createRedisHealth(client: { readonly isReady: boolean }, options: Options): RedisHealth {
  const { log, withinMs, probeEveryMs = 1000 } = options;
  let lost = false;
  let probedAt = 0;

  const markLost = (error: unknown) => {
    if (!lost) log.warn({ err: error }, 'rate limits count per process: Redis does not answer');
    lost = true;
    probedAt = performance.now();
  };

  /** While one is under way `probedAt` is young, so there is never a second one. */
  const probeAgain = async () => {
    probedAt = performance.now();
    const answered = await withinTimeout(options.probe, withinMs).catch(() => null);
    if (answered === null || !lost) return;
    lost = false;
    log.info('rate limits are shared again');
  };

  return {
    isAvailable: () => {
      if (!client.isReady) markLost(new Error('not connected'));
      else if (lost && performance.now() - probedAt >= probeEveryMs) void probeAgain();
      return !lost;
    },
    ask: async (question) => {
      try {
        return { value: await withinTimeout(question, withinMs) };
      } catch (error) {
        markLost(error);
        return null;
      }
    },
  };
}

/**
 * Looks several times before it gives up, each time after the event loop has turned: when this process was the slow one, the
 * question may only just have left, or its answer may be waiting to be read.
 */
async function withinTimeout<T>(question: () => Promise<T>, withinMs: number): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  let checks = 0;
  const check = () => {
    checks += 1;
    if (checks === TIMEOUT_CHECKS) reject(new Error(`No answer within ${withinMs} ms`));
    else timer = setTimeout(check, withinMs / TIMEOUT_CHECKS);
  };
  let timer = setTimeout(check, withinMs / TIMEOUT_CHECKS);
  try {
    return await Promise.race([question(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
