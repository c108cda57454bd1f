// Opens the services of one process inside the test: a real database, a lock that can fail, a movable clock.
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ClaimLock, LockStoreDown } from '../../../src/claims/claim-lock.ts';
import { createMemoryClaimLock } from '../../../src/claims/memory-claim-lock.ts';
import { createRedisClaimLock } from '../../../src/claims/redis-claim-lock.ts';
import { parseKeyRing } from '../../../src/crypto/key-ring.ts';
import { makeKeyRingText } from '../../fixtures/key-ring-text.ts';
import { type Clock, uuidV7 } from '../../../src/db/clock.ts';
import { createDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { type DatabaseTarget, openOrm, type Orm } from '../../../src/db/orm.ts';
import { openSignals, type Signals } from '../../../src/db/connection/signals.ts';
import { createTransactionLimiter } from '../../../src/limits/concurrency-limiter.ts';
import { createMemory } from '../../../src/limits/memory-limits.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { createExpectedWaits } from '../../../src/usecases/items/expected-waits.ts';
import { createIntake } from '../../../src/usecases/items/intake.ts';
import { createKeyCache } from '../../../src/usecases/credentials/key-cache.ts';
import { createKnownSessions } from '../../../src/usecases/credentials/known-sessions.ts';
import { createSecurityLog } from '../../../src/usecases/credentials/security-log.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { createWaiters } from '../../../src/usecases/items/waiters.ts';
import { dispatchWebhook } from '../../../src/delivery/dispatch.ts';
import type { MediaAnswer } from '../../../src/domain/media/media-answer.ts';
import { fetchMedia } from '../../../src/delivery/fetch-media.ts';
import { refuseTarget } from '../../../src/delivery/guard/guard.ts';
import type { Lookup } from '../../../src/delivery/guard/names.ts';
import { watchedLogger } from '../../log-watch.ts';
import { migratedDatabase } from '../../fixtures/test-database.ts';
import { connectionTo } from '../../../../scripts/lib/processes/postgres-client.ts';

/** Loopback receivers are allowed, as in the demo. */
export const POLICY = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };
/** A picture that every test may read without a host. */
export const PICTURE_URL = 'https://pictures.test/a.png';

async function aPicture(): Promise<MediaAnswer> {
  const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunks = (async function* () {
    yield await Promise.resolve(bytes);
  })();
  return { status: 200, type: 'image/png', headers: { 'content-length': String(bytes.length) }, chunks };
}

const MINUTE = 60_000;
const KEY_RING = parseKeyRing(makeKeyRingText());

export interface MovableClock extends Clock {
  /** Moves the service's clock by milliseconds; the database's clock does not move. */
  pass(ms: number): void;
  /** Stops it at the next full minute: from then on it moves by `pass` alone. */
  stop(): void;
}

/** A lock that a test can disable. */
export interface TestLock extends ClaimLock {
  /** While true, the lock store is unreachable. */
  down: boolean;
  /** Loses every holder, like a flushed or restarted store. */
  flush(): Promise<void>;
  /** Ends the lease of one item, of any holder. */
  expire(itemId: string): Promise<void>;
}

/** The names of the resolver, each with its addresses, and the lookups so far. Any other name fails. */
export interface Names {
  readonly addresses: Map<string, string[]>;
  readonly asked: string[];
  readonly lookup: Lookup;
}

export interface ServicesEnvironment {
  services: Services;
  names: Names;
  signals: Signals;
  orm: Orm;
  /** The database, for a session of the test's own. */
  url: string;
  clock: MovableClock;
  lock: TestLock;
  /** Runs SQL, `?` for parameters. */
  sql<T>(text: string, params?: unknown[]): Promise<T[]>;
  /** One more process on the same database and the same lock store. */
  another(): Promise<ServicesEnvironment>;
  /** Closes this process; the first one drops the database too. */
  close(): Promise<void>;
}

interface LockBackend {
  url: string;
  target: DatabaseTarget;
  store: LockStore;
  remove(): Promise<void>;
}

/** Opens a process on a new, migrated database. The caller must close it; in a test file `useServices` does both. */
async function openServices(): Promise<ServicesEnvironment> {
  const backend = await newBackend();
  const opened = await openAt(backend).catch(async (error: unknown) => {
    await backend.remove();
    throw error;
  });
  const close = async () => {
    await opened.close();
    await backend.store.close();
    await backend.remove();
  };
  return { ...opened, close };
}

async function newBackend(): Promise<LockBackend> {
  const { url, remove } = await migratedDatabase();
  return { url, target: { connection: await connectionTo(url), poolSize: 20 }, store: await openLockStore(), remove };
}

/** Where the processes of one environment store the claim holders. */
interface LockStore {
  /** The lock as one process sees it. The number counts the flushes of the store, each of which loses the earlier locks. */
  lock(clock: Clock, flushed: number): ClaimLock;
  close(): Promise<void>;
}

/** A timeout long enough that a busy machine does not count as a Redis outage. */
const GENEROUS_TIMEOUT = { withinMs: 20_000 };

async function openLockStore(): Promise<LockStore> {
  const { TEST_REDIS_URL: url } = process.env;
  if (url === undefined) return memoryLockStore();
  const client = await createClient({ url }).connect();
  // Each lock of a flushed store adds an error listener.
  client.setMaxListeners(0);
  const space = `countersign:test:${randomUUID()}:`;
  const close = async () => void (await client.close());
  return { lock: (_clock, flushed) => createRedisClaimLock(client, `${space}${flushed}:`, GENEROUS_TIMEOUT), close };
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

async function openAt(backend: LockBackend): Promise<ServicesEnvironment> {
  const orm = await openOrm(backend.target);
  await migrate(orm, backend.target);
  const signals = openSignals(backend.target.connection, { onError: () => undefined });
  const clock = movableClock();
  const lock = testLock(backend.store, clock);
  const db = createDatabase(orm, { clock, ids: uuidV7, acquireSlot: createTransactionLimiter() });
  const names = givenNames();
  const services: Services = {
    db,
    intake: createIntake({ db, clock, ids: uuidV7 }),
    waiters: createWaiters(db),
    expectedWaits: createExpectedWaits({ db, clock }, { patienceMs: 10_000 }),
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
    fetchMedia: (request) =>
      request.url === PICTURE_URL ? aPicture() : fetchMedia({ policy: POLICY, lookup: names.lookup }, request),
    kick: { session: () => undefined },
  };
  return {
    services,
    names,
    signals,
    orm,
    url: backend.url,
    clock,
    lock,
    sql: (text, params = []) => services.db.read((em) => em.execute(text, params)),
    another: () => openAt(backend),
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
  let offsetMs = 0;
  let stoppedAt: number | undefined;
  return {
    now: () => new Date((stoppedAt ?? Date.now()) + offsetMs),
    pass: (ms) => void (offsetMs += ms),
    stop: () => void (stoppedAt ??= Math.ceil(Date.now() / MINUTE) * MINUTE),
  };
}

function testLock(store: LockStore, clock: Clock): TestLock {
  let flushed = 0;
  let inner = store.lock(clock, flushed);
  const asked = async <T>(question: () => Promise<T>): Promise<T> => {
    if (lock.down) throw new LockStoreDown('disabled by the test');
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
    expire: async (itemId) => {
      const holder = (await inner.holders([itemId])).get(itemId);
      if (holder) await inner.release({ itemId, userId: holder.userId, fence: holder.fence });
    },
  };
  return lock;
}

/** One process for all tests of a file: opened before, closed after. */
export function useServices(): ServicesEnvironment {
  let opened: ServicesEnvironment | undefined;
  beforeAll(async () => {
    opened = await openServices();
  });
  beforeEach(() => {
    if (opened !== undefined) opened.lock.down = false;
  });
  afterAll(() => opened?.close());
  // Tests are defined before the process exists: the proxy looks it up on use.
  return new Proxy({} as ServicesEnvironment, {
    get: (_, name) => {
      if (opened === undefined) throw new Error('The services exist from beforeAll on.');
      return Reflect.get(opened, name) as unknown;
    },
  });
}
