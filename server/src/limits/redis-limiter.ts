// The rate limiter in Redis, shared by every process: one key per bucket, updated atomically by a script.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { clampCost, pour } from './bucket.ts';
import type { Limiter, RateLimitResult } from './limiter.ts';
import type { Policies, Policy, PolicyName } from './policies.ts';

/** The parts of a node-redis client that the limiter needs. */
export interface LimiterClient {
  readonly isReady: boolean;
  withCommandOptions(options: { timeout: number }): {
    eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  };
}

interface Options {
  /** Decides while Redis does not respond; its policies apply here too. */
  local: Limiter;
  log: RedisHealthLog;
  /** Time limit of a response, in ms; after it the process decides alone. */
  withinMs?: number;
}

/**
 * KEYS[1] the bucket, `<level> <ms>`; ARGV quota, window in ms, then costs. Drains by the time of Redis, applies the
 * costs one after the other as `pour` in bucket.ts does, and returns the level before them, from which the caller
 * derives the rest.
 */
const POUR = `
local quota, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local met = 0
local level, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
if level then met = math.max(0, tonumber(level) - math.max(0, now - tonumber(at)) * quota) end
local filled = met
for place = 3, #ARGV do
  local after = filled + tonumber(ARGV[place]) * window
  if after <= quota * window then filled = after end
end
if filled > met then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', filled, now), 'PX', math.ceil(filled / quota) + 1)
end
return string.format('%.0f', met)`;

const levelReply = z.string().regex(/^\d+$/).transform(Number);

/** Everything requested of one bucket in one turn of the event loop. */
interface PendingBatch {
  id: string;
  policy: Policy;
  costs: number[];
  /** One for each cost, in order; null when Redis did not respond. */
  results: Promise<RateLimitResult[] | null>;
}

/**
 * The limiter over a connected node-redis client, which the caller closes. Keys are `countersign:limit:<policy>:<key>`.
 * Requests for one bucket in one turn of the event loop become one call. While Redis is disconnected, fails, or takes
 * longer than `withinMs`, `local` decides: without Redis nothing is blocked, limits only count per process (RL3).
 */
export function createRedisLimiter(client: LimiterClient, { local, log, withinMs = 100 }: Options): Limiter {
  // The client's own timeout removes an unsent command, so that it does not charge after a reconnect.
  const commands = client.withCommandOptions({ timeout: 2 * withinMs });
  const ask = async (id: string, { quota, windowSeconds }: Policy, costs: readonly number[]) => {
    const numbers = [quota, windowSeconds * 1000, ...costs];
    const call = { keys: [`countersign:limit:${id}`], arguments: numbers.map(String) };
    return levelReply.parse(await commands.eval(POUR, call));
  };
  // A bucket of its own, empty after a second: a Redis that refuses writes counts as unavailable.
  const probe = () => ask(`probe:${randomUUID()}`, { quota: 1, windowSeconds: 1 }, [1]);
  const health = createRedisHealth(client, { log, withinMs, probe });
  const askBatched = createBatcher(async ({ id, policy, costs }) => {
    const met = await health.ask(() => ask(id, policy, costs));
    return met === null ? null : pour(met.value, policy, costs).results;
  }, local.policies);

  return {
    policies: local.policies,
    async take(name, key, cost = 1) {
      if (!health.isAvailable()) return local.take(name, key, cost);
      return (await askBatched(name, key, cost)) ?? local.take(name, key, cost);
    },
  };
}

/** Collects requests for a bucket until the event loop has read every ready socket, then handles them in one call. */
function createBatcher(
  settle: (pending: Omit<PendingBatch, 'results'>) => Promise<RateLimitResult[] | null>,
  policies: Policies,
) {
  const open = new Map<string, PendingBatch>();

  function begin(id: string, policy: Policy): PendingBatch {
    const pending = { id, policy, costs: [] as number[] };
    const nextTick = new Promise<void>((resolve) => setImmediate(resolve));
    const results = nextTick.then(() => {
      open.delete(id);
      return settle(pending);
    });
    return { ...pending, results };
  }

  return async (name: PolicyName, key: string, cost: number): Promise<RateLimitResult | null> => {
    const id = `${name}:${key}`;
    const policy = policies[name];
    const pending = open.get(id) ?? begin(id, policy);
    open.set(id, pending);
    const place = pending.costs.push(clampCost(cost, policy)) - 1;
    return (await pending.results)?.[place] ?? null;
  };
}

interface RedisHealthLog {
  warn(details: object, message: string): void;
  info(message: string): void;
}

interface RedisHealth {
  /** False while requests are pointless. Probes in the background for a recovery. */
  isAvailable(): boolean;
  /** The response, or null without one in time; then nothing is sent until a probe succeeds. */
  ask<T>(question: () => Promise<T>): Promise<{ value: T } | null>;
}

const TIMEOUT_CHECKS = 5;

interface HealthOptions {
  log: RedisHealthLog;
  /** A response counts if it takes no longer than this. */
  withinMs: number;
  /** A request equivalent to a real one. */
  probe: () => Promise<unknown>;
  probeEveryMs?: number;
}

/** Monitors one node-redis client. */
export function createRedisHealth(client: { readonly isReady: boolean }, options: HealthOptions): RedisHealth {
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
