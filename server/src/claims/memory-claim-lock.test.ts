// The in-memory claim lock: when leases end, and that expired ones are removed.
import { describe, expect, it } from 'vitest';
import { claimLockContract } from '../../test/contracts/claim-lock.contract.ts';
import { createMemoryClaimLock } from './memory-claim-lock.ts';

function movableClock() {
  let ms = Date.parse('2026-03-01T12:00:00Z');
  return { now: () => new Date(ms), pass: (by: number) => void (ms += by) };
}

claimLockContract('memory', async () => {
  const clock = movableClock();
  const lock = createMemoryClaimLock(clock);
  return { lock, expire: async (_, ms) => clock.pass(ms), close: () => lock.close() };
});

describe('memory claim lock', () => {
  it('a lease ends at its expiry time, not before', async () => {
    const clock = movableClock();
    const lock = createMemoryClaimLock(clock);
    await lock.acquire('item', 'anna', 1_000);
    clock.pass(999);
    expect(await lock.acquire('item', 'ben', 1_000)).toMatchObject({ acquired: false, holder: { userId: 'anna' } });
    clock.pass(1);
    expect(await lock.acquire('item', 'ben', 1_000)).toEqual({ acquired: true });
  });

  it('removes expired leases that no one asks for again', async () => {
    const clock = movableClock();
    const lock = createMemoryClaimLock(clock);
    for (let item = 0; item < 10_000; item += 1) {
      await lock.acquire(`item-${item}`, 'anna', 1_000);
      clock.pass(100);
    }
    expect(lock.size()).toBeLessThanOrEqual(65);
  });

  it('retains every live lease, however many there are', async () => {
    const clock = movableClock();
    const lock = createMemoryClaimLock(clock);
    const items = Array.from({ length: 1_000 }, (_, index) => `item-${index}`);
    for (const item of items) await lock.acquire(item, 'anna', 1_000);
    expect((await lock.holders(items)).size).toBe(1_000);
  });

  it('returns a copy of the holder', async () => {
    const lock = createMemoryClaimLock(movableClock());
    await lock.acquire('item', 'anna', 1_000);
    const first = (await lock.holders(['item'])).get('item');
    if (first !== undefined) first.userId = 'mallory';
    expect((await lock.holders(['item'])).get('item')?.userId).toBe('anna');
  });
});
