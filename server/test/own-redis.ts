// A Redis of a test's own that can die, come back empty, or be cut off, behind an address that stays.
import { type OwnRedis as RedisServer, startRedis } from '../../scripts/lib/processes/services.ts';
import { startForwarder } from './forwarder.ts';

export interface OwnRedis {
  /** Where the processes of a test connect, whatever happens behind it. */
  readonly url: string;
  /** The server itself, as it runs now. */
  readonly server: string;
  /** Nobody reaches it, and it goes on. */
  cut(): void;
  /** It is reached again. */
  reconnect(): void;
  /** The network to it swallows everything, and says nothing; over when told so. */
  blackhole(silent: boolean): void;
  /** It dies with all it knew. */
  crash(): Promise<void>;
  /** Another one takes its place, which knows nothing. */
  startAnother(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one. Errors: when Redis is not installed. */
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

async function newRedis(): Promise<RedisServer> {
  const service = await startRedis();
  if (service === undefined) throw new Error('TEST_REDIS_URL is there, but no redis-server to start another one from.');
  return service;
}
