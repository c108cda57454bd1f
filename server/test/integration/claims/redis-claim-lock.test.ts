// Tests the Redis claim lock: the contract on a shared Redis, and failures on a Redis of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClaimLock, LockStoreDown } from '../../../src/claims/claim-lock.ts';
import { createRedisClaimLock, type LockClient } from '../../../src/claims/redis-claim-lock.ts';
import { freePort } from '../../../src/embedded/address.ts';
import { claimLockContract } from '../../contracts/claim-lock.contract.ts';

const { TEST_REDIS_URL } = process.env;
const SERVER = 'redis-server';
const hasRedisServer = spawnSync(SERVER, ['--version']).status === 0;
const LONG = 60_000;
/** Timeout in ms, long enough that a busy machine does not count as a Redis outage. */
const PATIENT = { withinMs: 20_000 };

describe.skipIf(!TEST_REDIS_URL)('on the shared Redis', () => {
  claimLockContract('Redis', async () => {
    const prefix = `countersign:test:${randomUUID()}:`;
    const client = await createClient({ url: TEST_REDIS_URL ?? '' }).connect();
    const lock = createRedisClaimLock(client, prefix, PATIENT);
    const expire = (itemId: string) =>
      vi.waitFor(async () => expect(await client.exists(`${prefix}claim:${itemId}`)).toBe(0), {
        timeout: 20_000,
        interval: 10,
      });
    return { lock, expire, close: () => lock.close() };
  });
});

describe.skipIf(!hasRedisServer)('Redis failures', () => {
  const item = { itemId: 'item', userId: 'anna', fence: 7 };
  let dir: string;
  let port: number;
  let server: ChildProcess;
  let lock: ClaimLock;
  let client: Awaited<ReturnType<typeof connect>>;
  /** How many commands Redis has received so far. */
  let asked = 0;
  let admin: typeof client;

  function startServer(): void {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
    server = spawn(SERVER, args, { stdio: 'ignore' });
  }

  async function killServer(): Promise<void> {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  const connect = () =>
    createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: 50 } })
      .on('error', () => undefined)
      .connect();

  /** The client functions that the lock needs, with a counter. */
  const counted = (of: typeof client): LockClient => ({
    get isReady() {
      return of.isReady;
    },
    get isOpen() {
      return of.isOpen;
    },
    withCommandOptions: (options) => {
      const commands = of.withCommandOptions(options);
      return { eval: (script, call) => ((asked += 1), commands.eval(script, call)) };
    },
    on: (event, listener) => of.on(event, listener),
    close: () => of.close(),
    destroy: () => of.destroy(),
  });

  /** Each call ends in LockStoreDown, without a timeout of the test. */
  async function expectDown(of = lock): Promise<void> {
    const calls = [
      () => of.acquire('item', 'anna', LONG),
      () => of.renew({ ...item, ms: LONG }),
      () => of.release(item),
      () => of.holders(['item']),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(LockStoreDown);
  }

  const healed = () =>
    vi.waitFor(async () => expect((await lock.acquire(randomUUID(), 'anna', LONG)).acquired).toBe(true), {
      timeout: 20_000,
      interval: 20,
    });

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'countersign-redis-'));
    port = await freePort();
    startServer();
    [admin, client] = [await connect(), await connect()];
    lock = createRedisClaimLock(counted(client), undefined, PATIENT);
  });
  afterEach(() => admin.flushAll());
  afterAll(async () => {
    await lock.close();
    admin.destroy();
    await killServer();
    rmSync(dir, { recursive: true, force: true });
  });

  it('writes one key per item under the prefix, with an expiry', async () => {
    await lock.acquire('item', 'anna', LONG);
    expect(await admin.keys('*')).toEqual(['countersign:claim:item']);
    await lock.renew({ ...item, ms: LONG });
    expect(await admin.get('countersign:claim:item')).toBe('7:anna');
    expect(await admin.pTTL('countersign:claim:item')).toBeGreaterThan(LONG / 2);
  });

  it('loses every holder when Redis is flushed, and continues', async () => {
    await lock.acquire('item', 'anna', LONG);
    await lock.renew({ ...item, ms: LONG });
    await admin.flushAll();
    await admin.scriptFlush();
    expect(await lock.holders(['item'])).toEqual(new Map());
    expect(await lock.renew({ ...item, ms: LONG })).toBeNull();
    expect(await lock.release(item)).toBe(false);
    expect(await lock.acquire('item', 'ben', LONG)).toEqual({ acquired: true });
  });

  it('returns LockStoreDown at once when Redis is killed, and recovers when Redis returns', async () => {
    await killServer();
    try {
      // A command sent just before the client notices gets no response: this lock uses the short timeout.
      await expectDown(createRedisClaimLock(client));
      await expect.poll(() => client.isReady).toBe(false);
      // The client knows now that its connection is gone, and sends nothing.
      asked = 0;
      await expectDown();
      expect(asked).toBe(0);
    } finally {
      startServer();
    }
    await healed();
  });

  it('ends every call in flight when Redis is killed under load', async () => {
    const calls = Array.from({ length: 200 }, () => lock.acquire(randomUUID(), 'anna', LONG));
    const settled = Promise.allSettled(calls);
    await killServer();
    startServer();
    const failures: unknown[] = [];
    for (const call of await settled) if (call.status === 'rejected') failures.push(call.reason);
    for (const failure of failures) expect(failure).toBeInstanceOf(LockStoreDown);
    await healed();
  });

  it('returns LockStoreDown after half a second when Redis freezes, and recovers when it continues', async () => {
    server.kill('SIGSTOP');
    await expectDown(createRedisClaimLock(client)).finally(() => server.kill('SIGCONT'));
    await healed();
  });

  it('treats a refusal to serve as down', async () => {
    await admin.configSet('maxmemory', '1');
    await expect(lock.acquire('item', 'anna', LONG)).rejects.toBeInstanceOf(LockStoreDown);
    await admin.configSet('maxmemory', '0');
    await healed();
  });

  it('closes without waiting for an unreachable Redis, and later calls report it as down', async () => {
    const leaving = await connect();
    const closing = createRedisClaimLock(leaving);
    await killServer();
    // Redis comes back only after that.
    await closing.close();
    startServer();
    await healed();
    expect(leaving.isOpen).toBe(false);
    await expect(closing.holders(['item'])).rejects.toBeInstanceOf(LockStoreDown);
  });
});
