// The services of one process, in the test's own: a real database, a claim lock on Redis where there is one, a clock that can be moved, a lock that can fail.
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { createClient } from 'redis';
import { afterAll, beforeAll } from 'vitest';
import { type ClaimLock, LockStoreDown } from '../../src/claims/claim-lock.ts';
import { createMemoryClaimLock } from '../../src/claims/memory-claim-lock.ts';
import { createRedisClaimLock } from '../../src/claims/redis-claim-lock.ts';
import { makeKeyRingText, parseKeyRing } from '../../src/crypto/key-ring.ts';
import { type Clock, uuidV7 } from '../../src/db/clock.ts';
import { createDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type DatabaseTarget, openOrm, type Orm } from '../../src/db/orm.ts';
import { openSignals, type Signals } from '../../src/db/signals.ts';
import { createMemory } from '../../src/limits/memory.ts';
import { policiesOf } from '../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../src/limits/memory-limiter.ts';
import { createIntake } from '../../src/usecases/intake.ts';
import { createKeyCache } from '../../src/usecases/key-cache.ts';
import { createKnownSessions } from '../../src/usecases/known-sessions.ts';
import { createSecurityLog } from '../../src/usecases/security-log.ts';
import type { Services } from '../../src/usecases/services.ts';
import { createWaiters } from '../../src/usecases/waiters.ts';
import { dispatchWebhook } from '../../src/webhooks/dispatch.ts';
import { type Lookup, refuseTarget } from '../../src/webhooks/guard.ts';
import { watchedLogger } from '../log-watch.ts';
import { migratedDatabase } from '../fixtures/own-database.ts';
import { connectionTo } from '../../../scripts/lib/postgres-client.ts';

/** Loopback receivers are allowed, as in the demo. */
export const POLICY = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };
const KEY_RING = parseKeyRing(makeKeyRingText());

export interface MovableClock extends Clock {
  /** Moves our own clock by milliseconds; the database's stays where it is. */
  pass(ms: number): void;
}

/** A lock that every test can take away. */
export interface TestLock extends ClaimLock {
  /** While true, nobody can ask it. */
  down: boolean;
  /** Forgets every holder, as a flushed or restarted store does. */
  flush(): Promise<void>;
  /** Ends the lease of one item, whoever holds it. */
  lapse(itemId: string): Promise<void>;
}

/** The names there are, each with its addresses, and what was looked up. Any other name has no answer. */
export interface Names {
  readonly addresses: Map<string, string[]>;
  readonly asked: string[];
  readonly lookup: Lookup;
}

export interface Opened {
  services: Services;
  names: Names;
  signals: Signals;
  orm: Orm;
  /** The database, for a session of a test's own. */
  url: string;
  clock: MovableClock;
  lock: TestLock;
  /** Looks inside, `?` for parameters. */
  sql<T>(text: string, params?: unknown[]): Promise<T[]>;
  /** One more process on the same database and the same lock store. */
  another(): Promise<Opened>;
  /** Closes this process; the first one takes the database with it. */
  close(): Promise<void>;
}

interface Place {
  url: string;
  target: DatabaseTarget;
  store: LockStore;
  remove(): Promise<void>;
}

/** Opens a process on a new, migrated database. Whoever opens one closes it; in a test file `useServices` does both. */
async function openServices(): Promise<Opened> {
  const place = await newPlace();
  const opened = await openAt(place).catch(async (error: unknown) => {
    await place.remove();
    throw error;
  });
  const close = async () => {
    await opened.close();
    await place.store.close();
    await place.remove();
  };
  return { ...opened, close };
}

async function newPlace(): Promise<Place> {
  const { url, remove } = await migratedDatabase();
  return { url, target: { connection: await connectionTo(url), poolSize: 20 }, store: await openLockStore(), remove };
}

/** Where the processes of one place keep who holds what. */
interface LockStore {
  /** The lock as one process sees it. The number: how often the store was flushed, after which nothing of before is known. */
  lock(clock: Clock, flushed: number): ClaimLock;
  close(): Promise<void>;
}

/** So patient that a busy machine does not count as a Redis that is away. */
const PATIENT = { withinMs: 20_000 };

async function openLockStore(): Promise<LockStore> {
  const { TEST_REDIS_URL: url } = process.env;
  if (url === undefined) return memoryLockStore();
  const client = await createClient({ url }).connect();
  // Each lock of a flushed store listens for errors of its own.
  client.setMaxListeners(0);
  const space = `countersign:test:${randomUUID()}:`;
  const close = async () => void (await client.close());
  return { lock: (_clock, flushed) => createRedisClaimLock(client, `${space}${flushed}:`, PATIENT), close };
}

function memoryLockStore(): LockStore {
  const locks = new Map<number, ClaimLock>();
  const lock = (clock: Clock, flushed: number) => {
    const known = locks.get(flushed) ?? createMemoryClaimLock({ now: () => clock.now() });
    locks.set(flushed, known);
    return known;
  };
  return { lock, close: () => Promise.resolve() };
}

async function openAt(place: Place): Promise<Opened> {
  const orm = await openOrm(place.target);
  await migrate(orm, place.target);
  const signals = openSignals(place.target.connection, { onError: () => undefined });
  const clock = movableClock();
  const lock = testLock(place.store, clock);
  const db = createDatabase(orm, { clock, ids: uuidV7 });
  const names = givenNames();
  const services: Services = {
    db,
    intake: createIntake({ db, clock, ids: uuidV7 }),
    waiters: createWaiters(db),
    claims: lock,
    limiter: createMemoryLimiter(policiesOf(60_000), clock),
    memory: createMemory(),
    keys: createKeyCache(clock),
    knownSessions: createKnownSessions(clock),
    security: createSecurityLog(watchedLogger()),
    clock,
    ids: uuidV7,
    keyRing: KEY_RING,
    log: watchedLogger(),
    baseUrl: 'http://countersign.test',
    demo: false,
    projectCreators: 'anyone',
    refuseWebhookUrl: (url) => refuseTarget(url, POLICY, names.lookup),
    dispatchWebhook: (dispatch) =>
      dispatchWebhook({ keyRing: KEY_RING, policy: POLICY, lookup: names.lookup }, dispatch),
    kick: { session: () => undefined },
  };
  return {
    services,
    names,
    signals,
    orm,
    url: place.url,
    clock,
    lock,
    sql: (text, params = []) => services.db.read((em) => em.execute(text, params)),
    another: () => openAt(place),
    close: async () => {
      await signals.close();
      await lock.close();
      await orm.close();
    },
  };
}

function givenNames(): Names {
  const addresses = new Map<string, string[]>();
  const asked: string[] = [];
  const lookup: Lookup = async (name) => {
    asked.push(name);
    const found = addresses.get(name);
    if (found === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address, family: isIP(address) }));
  };
  return { addresses, asked, lookup };
}

function movableClock(): MovableClock {
  let ahead = 0;
  return { now: () => new Date(Date.now() + ahead), pass: (ms) => void (ahead += ms) };
}

function testLock(store: LockStore, clock: Clock): TestLock {
  let flushed = 0;
  let inner = store.lock(clock, flushed);
  const asked = async <T>(question: () => Promise<T>): Promise<T> => {
    if (lock.down) throw new LockStoreDown('taken away by the test');
    return question();
  };
  const lock: TestLock = {
    down: false,
    acquire: (...args) => asked(() => inner.acquire(...args)),
    renew: (held) => asked(() => inner.renew(held)),
    release: (held) => asked(() => inner.release(held)),
    holders: (itemIds) => asked(() => inner.holders(itemIds)),
    close: () => Promise.resolve(),
    flush: async () => {
      flushed += 1;
      inner = store.lock(clock, flushed);
    },
    lapse: async (itemId) => {
      const holder = (await inner.holders([itemId])).get(itemId);
      if (holder) await inner.release({ itemId, userId: holder.userId, fence: holder.fence });
    },
  };
  return lock;
}

/** One process for all tests of a file: opened before, closed after. */
export function useServices(): Opened {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await openServices();
  });
  afterAll(() => opened?.close());
  // Tests are written before the process exists: what they hold looks it up when it is used.
  return new Proxy({} as Opened, {
    get: (_, name) => {
      if (opened === undefined) throw new Error('The services are there from beforeAll on.');
      return Reflect.get(opened, name) as unknown;
    },
  });
}
