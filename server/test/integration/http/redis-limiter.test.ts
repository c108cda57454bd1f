// Tests the Redis limiter: its contract, agreement with the one in memory, one count for all processes, and failures.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { createClient, type RedisClientType } from 'redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clampCost, pour } from '../../../src/limits/bucket.ts';
import { type Limiter, type RateLimitResult } from '../../../src/limits/limiter.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { createRedisLimiter, type LimiterClient } from '../../../src/limits/redis-limiter.ts';
import { limiterContract, movableClock } from '../../contracts/limiter.contract.ts';
import { type OwnRedis, startOwnRedis } from '../../own-redis.ts';
import { WITH_REDIS } from '../../test-environment.ts';

describe.runIf(WITH_REDIS)('on Redis', () => {
  let redis: OwnRedis;
  let admin: RedisClientType;
  const clients: RedisClientType[] = [];
  const logged: string[] = [];
  /** The keys that any limiter has requested from Redis. */
  const asked: string[] = [];
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) },
  );

  /** A client of its own, like one more process. It connects through a proxy, so that a test can cut it off. */
  async function connect(): Promise<RedisClientType> {
    const client: RedisClientType = createClient({ url: redis.url, socket: { reconnectStrategy: 20 } });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }

  /** With the short timeout of the service. */
  const impatient = (client: RedisClientType, quota: number, withinMs?: number): Limiter => {
    const local = createMemoryLimiter(policiesOf(quota), movableClock());
    const listening: LimiterClient = {
      get isReady() {
        return client.isReady;
      },
      withCommandOptions: (options) => {
        const commands = client.withCommandOptions(options);
        return {
          eval: (script, call) => {
            asked.push(...call.keys);
            return commands.eval(script, call);
          },
        };
      },
    };
    return createRedisLimiter(listening, { local, log, ...(withinMs === undefined ? {} : { withinMs }) });
  };
  /** With a timeout long enough that a busy machine does not count as a Redis outage. */
  const over = (client: RedisClientType, quota: number) => impatient(client, quota, 10_000);

  beforeAll(async () => {
    redis = await startOwnRedis();
    admin = createClient({ url: redis.server });
    admin.on('error', () => undefined);
    await admin.connect();
  });
  afterAll(async () => {
    for (const client of [...clients, admin]) client.destroy();
    await redis.stop();
  });

  limiterContract('Redis', async () => {
    const client = await connect();
    const now = async () => {
      const [seconds, micros] = (await admin.sendCommand(['TIME'])) as unknown as [string, string];
      return Number(seconds) * 1000 + Number(micros) / 1000;
    };
    /** Waits until Redis's clock, which the limiter uses, has advanced. */
    const pass = async (ms: number) => {
      const until = (await now()) + ms;
      await vi.waitFor(async () => expect(await now()).toBeGreaterThan(until), { timeout: 20_000, interval: 5 });
    };
    return { open: (quota) => over(client, quota), pass, close: () => Promise.resolve() };
  });

  it('decides like the bucket in memory, for any number of concurrent requests', async () => {
    const client = await connect();
    const asked = fc.tuple(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(asked, async ([quota, costs]) => {
        const limiter = over(client, quota);
        const key = randomUUID();
        const answers = await Promise.all(costs.map((cost) => limiter.take('default', key, cost)));
        const policy = policiesOf(quota).default;
        expect(answers).toEqual(
          pour(
            0,
            policy,
            costs.map((cost) => clampCost(cost, policy)),
          ).results,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('RL3: two processes share one count, also for simultaneous requests', async () => {
    const [here, there] = [over(await connect(), 100), over(await connect(), 100)];
    const key = randomUUID();
    const started = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) => (n % 2 ? here : there).take('default', key)),
    );
    const granted = answers.filter(({ allowed }) => allowed).length;
    // A hundred are refilled in a minute.
    const back = (performance.now() - started) / 600;
    expect(granted).toBeGreaterThanOrEqual(100);
    expect(granted).toBeLessThanOrEqual(101 + Math.ceil(back));
  });

  it('requests of one turn share one call to Redis, and its key expires when the bucket is full', async () => {
    const client = await connect();
    const limiter = over(client, 600);
    const key = randomUUID();
    await admin.configResetStat();
    const answers: Promise<RateLimitResult>[] = [];
    for (let n = 0; n < 300; n += 1) {
      answers.push(limiter.take('default', key));
      // Like requests of several sockets: one after another, before the event loop runs anything else.
      await Promise.resolve();
    }
    expect((await Promise.all(answers)).map(({ remaining }) => remaining)).toEqual(answers.map((_, n) => 599 - n));
    const stats = await admin.info('commandstats');
    expect(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1]).toBe('1');
    const left = await admin.pTTL(`countersign:limit:default:${key}`);
    expect(left).toBeGreaterThan(25_000);
    expect(left).toBeLessThanOrEqual(30_001);
  });

  it('a foreign value under the key is overwritten and causes no error', async () => {
    const limiter = over(await connect(), 5);
    const key = randomUUID();
    await admin.set(`countersign:limit:default:${key}`, 'nonsense');
    expect(await limiter.take('default', key)).toMatchObject({ allowed: true, remaining: 4 });
    expect(await limiter.take('default', key)).toMatchObject({ allowed: true, remaining: 3 });
  });

  describe('when it is down', () => {
    const LOST_MESSAGE = 'rate limits count per process: Redis does not respond';
    const RECOVERED_MESSAGE = 'rate limits are shared again';

    /** Still responds, from the process’s own bucket, which is empty after two. */
    async function countsLocally(limiter: Limiter): Promise<void> {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 50 }, () => limiter.take('default', key)));
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(2);
      // The limiter knows the outage now, and sends nothing more to Redis.
      asked.length = 0;
      for (let n = 0; n < 5; n += 1) expect((await limiter.take('default', key)).allowed).toBe(false);
      expect(asked.filter((id) => id.endsWith(key))).toEqual([]);
    }

    /** Writes to Redis again, as seen from outside. */
    const shared = (limiter: Limiter) =>
      vi.waitFor(
        async () => {
          const key = randomUUID();
          await limiter.take('default', key);
          expect(await admin.exists(`countersign:limit:default:${key}`)).toBe(1);
        },
        { timeout: 20_000, interval: 20 },
      );

    it('RL3: cut off, it continues alone, logs it once, and reconnects automatically', async () => {
      const client = await connect();
      const limiter = impatient(client, 2);
      await limiter.take('default', randomUUID());
      logged.length = 0;
      redis.cut();
      await countsLocally(limiter);
      await countsLocally(limiter);
      expect(logged).toEqual([LOST_MESSAGE]);
      redis.reconnect();
      await shared(limiter);
      expect(logged).toEqual([LOST_MESSAGE, RECOVERED_MESSAGE]);
    });

    it('RL3: slower than 100 ms, it continues alone after that, and returns', async () => {
      const limiter = impatient(await connect(), 2);
      await limiter.take('default', randomUUID());
      logged.length = 0;
      redis.blackhole(true);
      await countsLocally(limiter);
      await countsLocally(limiter);
      redis.blackhole(false);
      await shared(limiter);
      expect(logged).toEqual([LOST_MESSAGE, RECOVERED_MESSAGE]);
    });

    it('RL3: a Redis that refuses writes counts as down', async () => {
      const limiter = impatient(await connect(), 2);
      logged.length = 0;
      await admin.configResetStat();
      await admin.configSet('maxmemory', '1');
      try {
        await countsLocally(limiter);
        // Also after a retry.
        const refused = async () => {
          await limiter.take('default', randomUUID());
          return Number(/cmdstat_eval:.*failed_calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]);
        };
        await expect.poll(refused, { interval: 20 }).toBeGreaterThan(1);
      } finally {
        await admin.configSet('maxmemory', '0');
      }
      await shared(limiter);
      expect(logged).toEqual([LOST_MESSAGE, RECOVERED_MESSAGE]);
    });
  });
});
