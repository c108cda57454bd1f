// The contract tests of every claim lock implementation.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimLock } from '../../src/claims/claim-lock.ts';

export interface LockHarness {
  lock: ClaimLock;
  /** Returns when a lease of `ms` taken just now has run out. */
  expire(itemId: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

const LONG = 60_000;
const SHORT = 80;

/** Runs the cases; `open` creates an empty lock. */
export function claimLockContract(name: string, open: () => Promise<LockHarness>): void {
  describe(`claim lock in ${name}`, () => {
    let harness: LockHarness;
    let lock: ClaimLock;
    beforeAll(async () => {
      harness = await open();
      lock = harness.lock;
    });
    afterAll(() => harness.close());
    const given = () => harness;

    acquiringContract(given);
    renewingContract(given);
    releasingContract(given);
    expiringContract(given);

    it('holders: returns the held items among the requested ones', async () => {
      const [held, confirmed, free] = [randomUUID(), randomUUID(), randomUUID()];
      await lock.acquire(held, 'anna', LONG);
      await lock.acquire(confirmed, 'user:with:colons', LONG);
      await lock.renew({ itemId: confirmed, userId: 'user:with:colons', fence: 9_007_199_254_740_991, ms: LONG });
      const holders = await lock.holders([free, held, randomUUID(), confirmed]);
      expect([...holders.keys()].sort()).toEqual([held, confirmed].sort());
      expect(holders.get(held)).toMatchObject({ userId: 'anna', fence: 0 });
      expect(holders.get(confirmed)).toMatchObject({ userId: 'user:with:colons', fence: 9_007_199_254_740_991 });
      expect(await lock.holders([])).toEqual(new Map());
    });
  });
}

function acquiringContract(given: () => LockHarness): void {
  it('I4: grants one of 50 concurrent requests, and tells the others the holder', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    const users = Array.from({ length: 50 }, (_, index) => `user-${index}`);
    const answers = await Promise.all(users.map((user) => lock.acquire(itemId, user, LONG)));
    const winners = users.filter((_, index) => answers[index]?.acquired);
    expect(winners).toHaveLength(1);
    for (const answer of answers) {
      if (answer.acquired) continue;
      expect(answer.holder).toMatchObject({ userId: winners[0], fence: 0 });
      expect(answer.holder.leftMs).toBeGreaterThan(LONG / 2);
      expect(answer.holder.leftMs).toBeLessThanOrEqual(LONG);
    }
  });

  it('I4: does not grant it to the holder again', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    expect(await lock.acquire(itemId, 'anna', LONG)).toEqual({ acquired: true });
    expect(await lock.acquire(itemId, 'anna', LONG)).toMatchObject({ acquired: false, holder: { userId: 'anna' } });
  });
}

function renewingContract(given: () => LockHarness): void {
  it('confirms a provisional hold at the first renewal with its fence', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', LONG / 3);
    expect((await lock.holders([itemId])).get(itemId)).toMatchObject({ userId: 'anna', fence: 0 });
    const holder = await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG });
    expect(holder).toMatchObject({ userId: 'anna', fence: 7 });
    const stored = (await lock.holders([itemId])).get(itemId);
    expect(stored).toMatchObject({ userId: 'anna', fence: 7 });
    expect(stored?.leftMs).toBeGreaterThan(LONG / 2);
  });

  it('I3: is renewed only by its holder with its fence', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', LONG);
    expect(await lock.renew({ itemId, userId: 'ben', fence: 7, ms: LONG })).toBeNull();
    await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG });
    expect(await lock.renew({ itemId, userId: 'ben', fence: 7, ms: LONG })).toBeNull();
    expect(await lock.renew({ itemId, userId: 'anna', fence: 6, ms: LONG })).toBeNull();
    expect(await lock.renew({ itemId, userId: 'anna', fence: 8, ms: LONG })).toBeNull();
    expect(await lock.renew({ itemId, userId: 'anna', fence: 0, ms: LONG })).toBeNull();
    expect((await lock.holders([itemId])).get(itemId)).toMatchObject({ userId: 'anna', fence: 7 });
    expect(await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG })).toMatchObject({ fence: 7 });
  });

  it('cannot be renewed without a holder', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    expect(await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG })).toBeNull();
    expect(await lock.holders([itemId])).toEqual(new Map());
  });
}

function releasingContract(given: () => LockHarness): void {
  it('is released only by its holder with its fence', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', LONG);
    await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG });
    expect(await lock.release({ itemId, userId: 'ben', fence: 7 })).toBe(false);
    expect(await lock.release({ itemId, userId: 'anna', fence: 6 })).toBe(false);
    expect(await lock.release({ itemId, userId: 'anna', fence: 0 })).toBe(false);
    expect((await lock.holders([itemId])).has(itemId)).toBe(true);
    expect(await lock.release({ itemId, userId: 'anna', fence: 7 })).toBe(true);
    expect(await lock.release({ itemId, userId: 'anna', fence: 7 })).toBe(false);
    expect(await lock.acquire(itemId, 'ben', LONG)).toEqual({ acquired: true });
  });

  it('is released on probation by its user with any fence, and by no other user', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', LONG);
    expect(await lock.release({ itemId, userId: 'ben', fence: 0 })).toBe(false);
    expect(await lock.release({ itemId, userId: 'anna', fence: 7 })).toBe(true);
    expect(await lock.holders([itemId])).toEqual(new Map());
  });
}

function expiringContract(given: () => LockHarness): void {
  it('has no holder after the lease', async () => {
    const { lock, expire } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', LONG);
    await lock.renew({ itemId, userId: 'anna', fence: 7, ms: SHORT });
    await expire(itemId, SHORT);
    expect(await lock.holders([itemId])).toEqual(new Map());
    expect(await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG })).toBeNull();
    expect(await lock.release({ itemId, userId: 'anna', fence: 7 })).toBe(false);
    expect(await lock.acquire(itemId, 'ben', LONG)).toEqual({ acquired: true });
    expect(await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG })).toBeNull();
  });

  it('ends probation automatically', async () => {
    const { lock, expire } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', SHORT);
    await expire(itemId, SHORT);
    expect(await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG })).toBeNull();
    expect(await lock.acquire(itemId, 'ben', LONG)).toEqual({ acquired: true });
  });

  it('a renewal replaces the shorter lease', async () => {
    const { lock } = given();
    const itemId = randomUUID();
    await lock.acquire(itemId, 'anna', LONG / 3);
    await lock.renew({ itemId, userId: 'anna', fence: 7, ms: LONG });
    const stored = (await lock.holders([itemId])).get(itemId);
    expect(stored?.leftMs).toBeGreaterThan(LONG / 2);
  });
}
