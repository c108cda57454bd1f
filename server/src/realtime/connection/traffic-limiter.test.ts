// The traffic limit of a client: a burst, then a rate per second, for any clock.
import { expect, it } from 'vitest';
import { type TrafficLimiter, BYTES, createTrafficLimiter, PACKETS, type Rate } from './traffic-limiter.ts';

const { burst } = PACKETS;

function used(rate: Rate, amount: number): TrafficLimiter {
  const allowance = createTrafficLimiter(rate);
  expect(allowance.take(0, amount)).toBe(true);
  return allowance;
}

it('A9: allows twenty packets at once and one more per second, and refuses the next', () => {
  expect(PACKETS).toEqual({ burst: 20, perSecond: 1 });
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < burst; n += 1) expect(allowance.take(0)).toBe(true);
  for (let second = 1; second < 1000; second += 1) expect(allowance.take(second * 1000)).toBe(true);
  expect(allowance.take(999 * 1000)).toBe(false);
});

it('A9: allows 16 KiB at once and one more per second', () => {
  const allowance = used(BYTES, 16 * 1024);
  expect(allowance.take(1000, 1024)).toBe(true);
  expect(allowance.take(1000, 1)).toBe(false);
});

it('A9: grants nothing when the clock is set back', () => {
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < burst; n += 1) allowance.take(1_000_000);
  expect(allowance.take(0)).toBe(false);
  expect(allowance.take(1_000_000)).toBe(false);
});

it('A9: allows a presence report per second all day, plus the answers to our pings', () => {
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < 86_400; n += 1) {
    expect(allowance.take(n * 1000)).toBe(true);
    if (n % 25 !== 0) continue;
    allowance.refund();
    expect(allowance.take(n * 1000)).toBe(true);
  }
});

it('A9: does not accumulate refunds beyond one burst', () => {
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < 1000; n += 1) allowance.refund();
  let within = 0;
  while (allowance.take(0)) within += 1;
  expect(within).toBe(burst);
});
