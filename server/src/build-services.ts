// Builds the services of a process: chooses between given and embedded PostgreSQL, and between Redis and memory.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { RedisClientType } from 'redis';
import type { ClaimLock } from './claims/claim-lock.ts';
import { createMemoryClaimLock } from './claims/memory-claim-lock.ts';
import { createRedisClaimLock } from './claims/redis-claim-lock.ts';
import { ConfigError, type Config, type GivenDatabase } from './config.ts';
import { decodeAddress } from './crypto/ed25519.ts';
import { parseKeyRing, type KeyRing } from './crypto/key-ring.ts';
import { systemClock, uuidV7 } from './db/clock.ts';
import { chooseConnection, type Chosen, type Encryption } from './db/connection/connect.ts';
import { createDatabase, type Database } from './db/database.ts';
import { type Connection, readDatabaseUrl } from './db/connection/database-url.ts';
import { DatabaseUrlError } from './db/connection/database-url-error.ts';
import { watchStatements } from './db/connection/statement-log.ts';
import { migrate, requireSchema } from './db/migrate.ts';
import { openOrm, type DatabaseTarget, type Orm } from './db/orm.ts';
import { type Connections, connectionsOf } from './db/connection/pool.ts';
import { openSignals, type Signals } from './db/connection/signals.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded/embedded-postgres.ts';
import { createTransactionLimiter } from './limits/concurrency-limiter.ts';
import type { Limiter } from './limits/limiter.ts';
import { createMemory } from './limits/memory-limits.ts';
import { policiesOf } from './limits/policies.ts';
import { createMemoryLimiter } from './limits/memory-limiter.ts';
import { createRedisLimiter } from './limits/redis-limiter.ts';
import { createLog } from './log.ts';
import { serviceEndpoints } from './service-endpoints.ts';
import { createExpectedWaits } from './usecases/items/expected-waits.ts';
import { createIntake } from './usecases/items/intake.ts';
import { createKeyCache } from './usecases/credentials/key-cache.ts';
import { createKnownSessions } from './usecases/credentials/known-sessions.ts';
import { createSecurityLog } from './usecases/credentials/security-log.ts';
import type { Services } from './usecases/services.ts';
import { createWaiters } from './usecases/items/waiters.ts';
import type { DispatchTools } from './delivery/dispatch.ts';
import { type GuardPolicy, refuseTarget } from './delivery/guard/guard.ts';

export interface Built {
  services: Services;
  signals: Signals;
  /** Redis connections by use, or null without REDIS_URL. */
  redis: { commands: RedisClientType; pub: RedisClientType; sub: RedisClientType } | null;
  /** How the connections to a given PostgreSQL are protected; null for the embedded one. */
  encryption: Encryption | null;
  /** What webhooks may reach. */
  egress: GuardPolicy;
  /** A server of this process listens on this port: no webhook may reach it (W7). */
  listensOn(port: number): Promise<void>;
  /** The current state of the pool. */
  connections(): Connections;
  close(): Promise<void>;
}

export interface BuildOptions {
  /** Cancels the start of an embedded database. */
  signal?: AbortSignal;
  /** The embedded database, if its start has begun already. */
  embedded?: Promise<EmbeddedPostgres>;
  /** Refuses a database that is missing or not migrated, instead of creating or migrating it. */
  onlyExisting?: boolean;
}

/**
 * Opens everything a process needs and migrates the schema. Errors: `FolderInUse`, `EmbeddedError`, connection
 * failures, and `SchemaError` with `onlyExisting`. This is the only place that makes these choices.
 */
export async function buildServices(config: Config, options: BuildOptions = {}): Promise<Built> {
  const keyRing = keyRingOf(config);
  const projectCreators = creatorsOf(config);
  const log = createLog(config.logLevel);
  const database = await openDatabase(config, log, options);
  const onError = (error: unknown) => log.warn({ err: error }, 'listening connection lost');
  const signals = openSignals(database.connection, { onError });
  const redis = config.redisUrl === null ? null : await connectRedis(config.redisUrl, log);
  const claims: ClaimLock = redis ? createRedisClaimLock(redis.commands) : createMemoryClaimLock(systemClock);
  const db = databaseOf(config, database.orm);
  const own = serviceEndpoints(config, { connection: database.connection, db, signals });
  const egress: GuardPolicy = { ...config.webhooks, own: own.endpoints };
  const services: Services = {
    db,
    ...submissionState(db),
    claims,
    limiter: limiterOf(config, redis?.commands ?? null, log),
    ...callerState(log),
    clock: systemClock,
    ids: uuidV7,
    keyRing,
    log,
    baseUrl: config.baseUrl,
    demo: config.demo,
    projectCreators,
    refuseWebhookUrl: (url) => refuseTarget(url, egress),
    ...outgoingRequests({ keyRing, log, policy: egress }),
    kick: { session: () => undefined },
  };
  const clients = redis ? [redis.pub, redis.sub, redis.commands] : [];
  const close = async () => {
    for (const opened of [signals, claims]) await opened.close();
    for (const client of clients) client.destroy();
    await database.close();
  };
  const { connections, encryption } = database;
  return { encryption, services, signals, redis, egress, listensOn: (port) => own.listensOn(port), connections, close };
}

const databaseOf = ({ readLimitMs }: Config, orm: Orm): Database =>
  createDatabase(orm, { clock: systemClock, ids: uuidV7, readLimitMs, acquireSlot: createTransactionLimiter() });

/** Each loads its module at the first call: a start takes less time without the HTTP client that both import. */
const outgoingRequests = (tools: DispatchTools): Pick<Services, 'dispatchWebhook' | 'fetchMedia'> => ({
  dispatchWebhook: async (dispatch) => {
    const { dispatchWebhook } = await import('./delivery/dispatch.ts');
    return dispatchWebhook(tools, dispatch);
  },
  fetchMedia: async (request) => {
    const { fetchMedia } = await import('./delivery/fetch-media.ts');
    return fetchMedia({ policy: tools.policy }, request);
  },
});

/** What submissions of this process share. */
const submissionState = (db: Database): Pick<Services, 'intake' | 'waiters' | 'expectedWaits'> => ({
  intake: createIntake({ db, clock: systemClock, ids: uuidV7 }),
  waiters: createWaiters(db),
  expectedWaits: createExpectedWaits({ db, clock: systemClock }),
});

/** What a process remembers of its callers, and the memory it reserves for them. */
const callerState = (log: Logger): Pick<Services, 'memory' | 'keys' | 'knownSessions' | 'security'> => ({
  memory: createMemory(),
  keys: createKeyCache(systemClock),
  knownSessions: createKnownSessions(systemClock),
  security: createSecurityLog(log),
});

function limiterOf(config: Config, redis: RedisClientType | null, log: Logger): Limiter {
  const local = createMemoryLimiter(policiesOf(config.rateLimitPerMinute), systemClock);
  return redis ? createRedisLimiter(redis, { local, log }) : local;
}

/** Who may create projects. Errors: `ConfigError`. */
function creatorsOf({ projectCreators: who }: Config): Services['projectCreators'] {
  if (who === 'anyone') return who;
  const none = who.find((address) => decodeAddress(address) === null);
  if (none === undefined) return new Set(who);
  throw new ConfigError(`PROJECT_CREATORS must be anyone, or wallet addresses separated by commas; ${none} is not.`);
}

/** The key ring; its errors are configuration errors. */
function keyRingOf(config: Config): KeyRing {
  try {
    return parseKeyRing(config.secretKeys);
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : 'SECRET_KEYS cannot be read.');
  }
}

interface OpenDatabase {
  encryption: Encryption | null;
  connection: Connection;
  orm: Orm;
  connections: () => Connections;
  close: () => Promise<void>;
}

async function openDatabase(config: Config, log: Logger, options: BuildOptions): Promise<OpenDatabase> {
  const { target, encryption, stop } = await findDatabase(config.database, log, options);
  let pool: Pool | null = null;
  try {
    const orm = await openOrm(target, (made) => {
      pool = made;
      watchStatements(made, config.slowStatementMs, (slow) => log.warn(slow, 'a slow statement'));
    });
    await (options.onlyExisting ? requireSchema(orm, target) : migrate(orm, target));
    const connections = () => (pool === null ? NO_CONNECTIONS : connectionsOf(pool));
    const close = async () => {
      try {
        await orm.close();
      } finally {
        await stop();
      }
    };
    return { connection: target.connection, encryption, orm, connections, close };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The pool creates no connection before it needs one. */
const NO_CONNECTIONS: Connections = { total: 0, idle: 0, waiting: 0 };

/** What the embedded server has room for, with some left for commands. */
const EMBEDDED_POOL = 20;

async function findDatabase(
  database: Config['database'],
  log: Logger,
  { signal, embedded: begun, onlyExisting = false }: BuildOptions,
): Promise<{ target: DatabaseTarget; encryption: Encryption | null; stop: () => Promise<void> }> {
  if (database.kind === 'postgres') {
    const { connection, encryption } = await connectionTo(database);
    return { target: { connection, poolSize: database.poolSize }, encryption, stop: () => Promise.resolve() };
  }
  const { folder } = database;
  const embedded = await (begun ?? startEmbedded({ folder, log, creates: !onlyExisting, ...(signal && { signal }) }));
  const [connection] = readDatabaseUrl(embedded.url, WITHOUT_TLS);
  return { target: { connection, poolSize: EMBEDDED_POOL }, encryption: null, stop: () => embedded.stop() };
}

/** The embedded server uses no TLS, on a private socket or on loopback. */
const WITHOUT_TLS = { PGSSLMODE: 'disable' };

/** How every connection of this process is made (DB3). Errors: `ConfigError`. */
async function connectionTo({ url, libpq, name = 'DATABASE_URL' }: GivenDatabase): Promise<Chosen> {
  try {
    return await chooseConnection(readDatabaseUrl(url, libpq));
  } catch (error) {
    if (error instanceof DatabaseUrlError) throw new ConfigError(`${name} cannot be used: ${error.message}.`);
    // A name with several addresses fails without a message, and no message of the driver has the password.
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(`PostgreSQL at ${name} cannot be used: ${message || String(code)}.`, { cause: error });
  }
}

/** How long a start waits for Redis, in milliseconds. */
const CONNECT_MS = 2000;

async function connectRedis(url: string, log: Logger) {
  // A quarter of all modules: a process without Redis starts faster and smaller without them.
  const { createClient } = await import('redis');
  const open = async (): Promise<RedisClientType> => {
    const client = createClient({ url, socket: { reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2000) } });
    client.on('error', (error: unknown) => log.warn({ err: error }, 'redis connection'));
    const connected = client.connect();
    connected.catch(() => undefined);
    // Without Redis a process starts degraded and recovers automatically: claims rely on the fence alone (LC1).
    await Promise.race([connected, delay(CONNECT_MS, undefined, { ref: false })]);
    return client;
  };
  const [commands, pub, sub] = await Promise.all([open(), open(), open()]);
  return { commands, pub, sub };
}
