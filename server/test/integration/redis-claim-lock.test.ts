// The Redis lock: the contract on a shared Redis, and its faults on a Redis of the test's own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClaimLock, LockStoreDown } from '../../src/claims/claim-lock.ts';
import { createRedisClaimLock } from '../../src/claims/redis-claim-lock.ts';
import { claimLockContract } from '../contracts/claim-lock.contract.ts';

const { TEST_REDIS_URL } = process.env;
const SERVER = 'redis-server';
const hasRedisServer = spawnSync(SERVER, ['--version']).status === 0;
const LONG = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(!TEST_REDIS_URL)('on the shared Redis', () => {
  claimLockContract('Redis', async () => {
    const prefix = `countersign:test:${randomUUID()}:`;
    const client = await createClient({ url: TEST_REDIS_URL ?? '' }).connect();
    const lock = createRedisClaimLock(client, prefix);
    const lapse = (itemId: string) =>
      vi.waitFor(async () => expect(await client.exists(`${prefix}claim:${itemId}`)).toBe(0), {
        timeout: 5_000,
        interval: 10,
      });
    return { lock, now: () => new Date(), lapse, close: () => lock.close() };
  });
});

describe.skipIf(!hasRedisServer)('Redis and its faults', () => {
  const item = { itemId: 'item', userId: 'anna', fence: 7 };
  let dir: string;
  let port: number;
  let server: ChildProcess;
  let lock: ClaimLock;
  let admin: ReturnType<typeof createClient>;

  function startServer(): void {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
    server = spawn(SERVER, args, { stdio: 'ignore' });
  }

  async function killServer(): Promise<void> {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  /** Each call ends in LockStoreDown, in less than `ms`. */
  async function expectDown(ms: number): Promise<void> {
    const calls = [
      () => lock.acquire('item', 'anna', LONG),
      () => lock.renew({ ...item, ms: LONG }),
      () => lock.release(item),
      () => lock.holders(['item']),
    ];
    for (const call of calls) {
      const started = performance.now();
      await expect(call()).rejects.toBeInstanceOf(LockStoreDown);
      expect(performance.now() - started).toBeLessThan(ms);
    }
  }

  const healed = () =>
    vi.waitFor(async () => expect((await lock.acquire(randomUUID(), 'anna', LONG)).acquired).toBe(true), {
      timeout: 10_000,
      interval: 20,
    });

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'countersign-redis-'));
    port = await freePort();
    startServer();
    const options = { socket: { host: '127.0.0.1', port, reconnectStrategy: 50 } };
    admin = createClient(options);
    admin.on('error', () => undefined);
    await admin.connect();
    lock = createRedisClaimLock(
      await createClient(options)
        .on('error', () => undefined)
        .connect(),
    );
  });
  afterEach(() => admin.flushAll());
  afterAll(async () => {
    await lock.close();
    admin.destroy();
    await killServer();
    rmSync(dir, { recursive: true, force: true });
  });

  it('writes one key per item under the prefix, with an end', async () => {
    await lock.acquire('item', 'anna', LONG);
    expect(await admin.keys('*')).toEqual(['countersign:claim:item']);
    await lock.renew({ ...item, ms: LONG });
    expect(await admin.get('countersign:claim:item')).toBe('7:anna');
    expect(await admin.pTTL('countersign:claim:item')).toBeGreaterThan(LONG - 5_000);
  });

  it('says when a lease ends by the clock it was given and the time left in Redis', async () => {
    const client = await createClient({ socket: { host: '127.0.0.1', port } }).connect();
    const now = new Date('2001-02-03T04:05:06Z');
    const other = createRedisClaimLock(client, 'countersign:', { now: () => now });
    await lock.acquire('item', 'anna', LONG);
    const answer = await other.acquire('item', 'ben', LONG);
    const left = answer.acquired ? 0 : answer.holder.expiresAt.getTime() - now.getTime();
    await other.close();
    expect(left).toBeGreaterThan(LONG - 5_000);
    expect(left).toBeLessThanOrEqual(LONG);
  });

  it('a flushed Redis has forgotten every holder, and goes on', async () => {
    await lock.acquire('item', 'anna', LONG);
    await lock.renew({ ...item, ms: LONG });
    await admin.flushAll();
    await admin.scriptFlush();
    expect(await lock.holders(['item'])).toEqual(new Map());
    expect(await lock.renew({ ...item, ms: LONG })).toBeNull();
    expect(await lock.release(item)).toBe(false);
    expect(await lock.acquire('item', 'ben', LONG)).toEqual({ acquired: true });
  });

  it('killed: LockStoreDown at once, and heals when Redis returns', async () => {
    await killServer();
    try {
      await expectDown(1_000);
      // By now the client knows that its connection is gone, and nothing waits for it.
      await expectDown(250);
    } finally {
      startServer();
    }
    await healed();
  });

  it('killed under load: every call in flight ends soon', async () => {
    const started = performance.now();
    const calls = Array.from({ length: 200 }, () => lock.acquire(randomUUID(), 'anna', LONG));
    const settled = Promise.allSettled(calls);
    await killServer();
    startServer();
    const failures: unknown[] = [];
    for (const call of await settled) if (call.status === 'rejected') failures.push(call.reason);
    expect(performance.now() - started).toBeLessThan(2_000);
    for (const failure of failures) expect(failure).toBeInstanceOf(LockStoreDown);
    await healed();
  });

  it('frozen: LockStoreDown after half a second, and heals when it goes on', async () => {
    server.kill('SIGSTOP');
    await expectDown(2_000).finally(() => server.kill('SIGCONT'));
    await healed();
  });

  it('refusing to serve counts as down', async () => {
    await admin.configSet('maxmemory', '1');
    await expect(lock.acquire('item', 'anna', LONG)).rejects.toBeInstanceOf(LockStoreDown);
    await admin.configSet('maxmemory', '0');
    await healed();
  });

  it('closing is quick while Redis is away, and later calls say it is down', async () => {
    const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: 50 } });
    const closing = createRedisClaimLock(client);
    await client.connect();
    await killServer();
    const started = performance.now();
    await closing.close();
    const took = performance.now() - started;
    startServer();
    await healed();
    expect(took).toBeLessThan(2_000);
    expect(client.isOpen).toBe(false);
    await expect(closing.holders(['item'])).rejects.toBeInstanceOf(LockStoreDown);
  });
});
