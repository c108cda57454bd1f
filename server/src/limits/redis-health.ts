// Monitors whether Redis responds in time: logs once when it stops and once when it recovers, and lets no caller wait
// in between.

export interface RedisHealthLog {
  warn(details: object, message: string): void;
  info(message: string): void;
}

export interface RedisHealth {
  /** False while requests are pointless. Probes in the background for a recovery. */
  isAvailable(): boolean;
  /** The response, or null without one in time; then nothing is sent until a probe succeeds. */
  ask<T>(question: () => Promise<T>): Promise<{ value: T } | null>;
}

const TIMEOUT_CHECKS = 5;

interface Options {
  log: RedisHealthLog;
  /** A response counts if it takes no longer than this. */
  withinMs: number;
  /** A request equivalent to a real one. */
  probe: () => Promise<unknown>;
  probeEveryMs?: number;
}

/** Monitors one node-redis client. */
export function createRedisHealth(client: { readonly isReady: boolean }, options: Options): RedisHealth {
  const { log, withinMs, probeEveryMs = 1000 } = options;
  let lost = false;
  let probedAt = 0;

  const markLost = (error: unknown) => {
    if (!lost) log.warn({ err: error }, 'rate limits count per process: Redis does not respond');
    lost = true;
    probedAt = performance.now();
  };

  /** While a probe is running `probedAt` is recent, so there is never a second one. */
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
 * Checks several times before it gives up, each time after a turn of the event loop: if this process was slow, the
 * request may just have been sent, or its response may be waiting to be read.
 */
async function withinTimeout<T>(question: () => Promise<T>, withinMs: number): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  let checks = 0;
  const check = () => {
    checks += 1;
    if (checks === TIMEOUT_CHECKS) reject(new Error(`No response within ${withinMs} ms`));
    else timer = setTimeout(check, withinMs / TIMEOUT_CHECKS);
  };
  let timer = setTimeout(check, withinMs / TIMEOUT_CHECKS);
  try {
    return await Promise.race([question(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
