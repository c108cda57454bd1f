// The contract tests of every limiter implementation.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Limiter } from '../../src/limits/limiter.ts';

export interface LimiterHarness {
  /** A limiter whose keys may make this many requests per minute. */
  open(quota: number): Limiter;
  /** Returns when at least this many ms have passed on the limiter's clock, and not many more. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export function movableClock() {
  let ms = Date.parse('2026-03-01T12:00:00Z');
  return { now: () => new Date(ms), pass: (by: number) => void (ms += by) };
}

/** Runs the cases; quotas are so small or so large that refills during a case do not matter. */
export function limiterContract(name: string, make: () => Promise<LimiterHarness>): void {
  describe(`limiter in ${name}`, () => {
    let harness: LimiterHarness;
    beforeAll(async () => {
      harness = await make();
    });
    afterAll(() => harness.close());

    it('RL1: admits the first of concurrent requests, up to the quota', async () => {
      const limiter = harness.open(5);
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 8 }, () => limiter.take('default', key)));
      expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false, false]);
      expect(answers.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
      expect(answers[0]).toMatchObject({ fullInSeconds: 12, retryAfterSeconds: 0, policy: { quota: 5 } });
      expect(answers[5]).toMatchObject({ fullInSeconds: 60, retryAfterSeconds: 12 });
    });

    it('RL1: charges a cost whole: one that does not fit costs nothing, and leaves room for a smaller one', async () => {
      const limiter = harness.open(10);
      const key = randomUUID();
      const answers = await Promise.all([6, 5, 4].map((cost) => limiter.take('default', key, cost)));
      expect(answers.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 4],
        [false, 4],
        [true, 0],
      ]);
      expect(await limiter.take('default', key, 0)).toMatchObject({ allowed: true });
    });

    it('has a separate bucket per key and policy', async () => {
      const limiter = harness.open(1);
      const [key, other] = [randomUUID(), randomUUID()];
      await limiter.take('default', key);
      expect((await limiter.take('default', key)).allowed).toBe(false);
      expect((await limiter.take('default', other)).allowed).toBe(true);
      expect((await limiter.take('challenge', key)).allowed).toBe(true);
      // What is refilled meanwhile, ten per second, may be available again.
      const rest = await limiter.take('challenge', key, 599);
      expect([rest.allowed, rest.remaining < 100]).toEqual([true, true]);
    });

    it('counts a cost beyond the quota as the quota', async () => {
      const limiter = harness.open(3);
      const key = randomUUID();
      expect(await limiter.take('default', key, 500)).toMatchObject({ allowed: true, remaining: 0 });
      expect((await limiter.take('default', key)).allowed).toBe(false);
    });

    it('RL1: refills evenly over the window', async () => {
      // 100 a second.
      const limiter = harness.open(6000);
      const key = randomUUID();
      expect(await limiter.take('default', key, 6000)).toMatchObject({ allowed: true, remaining: 0 });
      await harness.pass(100);
      const { allowed, remaining } = await limiter.take('default', key, 10);
      expect(allowed).toBe(true);
      expect(remaining).toBeLessThan(3000);
    });
  });
}
