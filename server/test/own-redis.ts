// A Redis of a test's own that can die, come back empty, or be cut off, behind an address that stays.
import { type OwnRedis as RedisServer, startRedis } from '../../scripts/services.ts';
import { startForwarder } from './forwarder.ts';

export interface OwnRedis {
  /** Where the processes of a test connect, whatever happens behind it. */
  readonly url: string;
  /** The server itself, as it runs now. */
  readonly server: string;
  /** Nobody reaches it, and it goes on. */
  cut(): void;
  /** It is reached again. */
  mend(): void;
  /** The network to it swallows everything, and says nothing; over when told so. */
  hush(silent: boolean): void;
  /** It dies with all it knew. */
  die(): Promise<void>;
  /** Another one takes its place, which knows nothing. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one. Errors: when Redis is not installed. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const door = await startForwarder('redis');
  let redis = await newRedis();
  const mend = () => door.target(redis.url);
  mend();
  return {
    url: door.url,
    get server() {
      return redis.url;
    },
    cut: () => door.target(null),
    mend,
    hush: (silent) => door.hush(silent),
    die: async () => {
      await redis.kill();
      door.target(null);
    },
    comeBack: async () => {
      await redis.stop();
      redis = await newRedis();
      mend();
    },
    stop: async () => {
      await door.close();
      await redis.stop();
    },
  };
}

async function newRedis(): Promise<RedisServer> {
  const service = await startRedis();
  if (service === undefined) throw new Error('TEST_REDIS_URL is there, but no redis-server to start another one from.');
  return service;
}
