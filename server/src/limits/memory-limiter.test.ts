// The memory limiter: the limiter contract, and cleanup.
import { describe, expect, it } from 'vitest';
import { limiterContract, movableClock } from '../../test/contracts/limiter.contract.ts';
import { policiesOf } from './policies.ts';
import { createMemoryLimiter } from './memory-limiter.ts';

limiterContract('memory', async () => {
  const clock = movableClock();
  const open = (quota: number) => createMemoryLimiter(policiesOf(quota), clock);
  return { open, pass: async (ms) => clock.pass(ms), close: () => Promise.resolve() };
});

describe('memory limiter', () => {
  it('the memory limiter removes empty buckets', async () => {
    const clock = movableClock();
    const limiter = createMemoryLimiter(policiesOf(100), clock);
    for (let key = 0; key < 5000; key += 1) {
      await limiter.take('default', `key-${key}`);
      clock.pass(100);
    }
    expect(limiter.size()).toBeLessThanOrEqual(600);
  });

  it('retains a maximum number of buckets, and drops the least recently used', async () => {
    const limiter = createMemoryLimiter(policiesOf(2), movableClock(), 3);
    const left = async (key: string) => (await limiter.take('default', key)).remaining;
    for (const key of ['a', 'b', 'c', 'a', 'd']) await left(key);
    expect(limiter.size()).toBe(3);
    expect((await limiter.take('default', 'a')).allowed).toBe(false);
    expect(await left('b')).toBe(1);
  });
});
