// A separate Redis that a test can kill, restart empty, or cut off, behind a fixed address.
import { type OwnRedis as RedisServer, startRedis } from '../../scripts/lib/processes/services.ts';
import { startForwarder } from './forwarder.ts';
import { fromBeforeAll, startTestEnvironment, type TestEnvironment } from './test-environment.ts';

export interface OwnRedis {
  /** Where the processes of a test connect. */
  readonly url: string;
  /** The running server itself. */
  readonly server: string;
  /** Cuts it off while it keeps running. */
  cut(): void;
  /** Restores the connection. */
  reconnect(): void;
  /** Drops all traffic silently until it ends. */
  blackhole(silent: boolean): void;
  /** Kills it with all its data. */
  crash(): Promise<void>;
  /** Starts an empty one in its place. */
  startAnother(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one. Throws when Redis is not installed. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const forwarder = await startForwarder('redis');
  let redis = await newRedis();
  const reconnect = () => forwarder.target(redis.url);
  reconnect();
  return {
    url: forwarder.url,
    get server() {
      return redis.url;
    },
    cut: () => forwarder.target(null),
    reconnect,
    blackhole: (silent) => forwarder.blackhole(silent),
    crash: async () => {
      await redis.kill();
      forwarder.target(null);
    },
    startAnother: async () => {
      await redis.stop();
      redis = await newRedis();
      reconnect();
    },
    stop: async () => {
      await forwarder.close();
      await redis.stop();
    },
  };
}

/** One environment for all tests of a describe block, whose processes share a Redis that its tests can kill or cut off. */
export const useEnvironmentWithOwnRedis = (): TestEnvironment & { redis: OwnRedis } =>
  fromBeforeAll(
    async () => {
      const redis = await startOwnRedis();
      return Object.assign(await startTestEnvironment({ env: { REDIS_URL: redis.url } }), { redis });
    },
    async (testEnv) => {
      await testEnv.stop();
      await testEnv.redis.stop();
    },
  );

async function newRedis(): Promise<RedisServer> {
  const service = await startRedis();
  if (service === undefined) throw new Error('TEST_REDIS_URL is there, but no redis-server to start another one from.');
  return service;
}
