// Tests when deliveries are leased: at once, except with few free permits or a failing proxy.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeaseCapacity } from './lease.ts';
import { LeaseThrottle, tookAll } from './send-permits.ts';

const MAX_CONCURRENT_POSTS = 128;
const capacity = (posting: number): LeaseCapacity => ({
  limit: MAX_CONCURRENT_POSTS - posting,
  retries: 85,
  posting,
  inFlight: new Map(),
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('free permits', () => {
  it('are filled immediately while the last lease found all there was', () => {
    const throttle = new LeaseThrottle();
    expect(throttle.waitMs(capacity(MAX_CONCURRENT_POSTS - 1))).toBe(0);
    throttle.leased({ posting: 30, backlog: false });
    expect([throttle.waitMs(capacity(30)), throttle.isBehind]).toEqual([0, false]);
  });

  it.each([MAX_CONCURRENT_POSTS, 16])(
    'wait for more behind a backlog that took %i: until half are free, or for a moment',
    (posting) => {
      const throttle = new LeaseThrottle();
      throttle.leased({ posting, backlog: true });
      expect(throttle.isBehind).toBe(true);
      expect(throttle.waitMs(capacity(Math.floor(posting / 2) + 1))).toBe(25);
      expect(throttle.waitMs(capacity(Math.floor(posting / 2)))).toBe(0);
      vi.advanceTimersByTime(24);
      expect(throttle.waitMs(capacity(posting))).toBe(1);
      vi.advanceTimersByTime(1);
      expect([throttle.waitMs(capacity(posting)), throttle.isBehind]).toEqual([0, false]);
    },
  );
});

describe('a backlog', () => {
  /** Of these endpoints, each of a project of its own. */
  const leased = (...endpoints: string[]) => endpoints.map((id) => ({ projectId: id, endpointId: id }));
  const many = (endpoint: string, n: number) => leased(...Array<string>(n).fill(endpoint));
  /** This many of each of the eight endpoints of one project. */
  const eight = (n: number) =>
    [...'abcdefgh'].flatMap((id) => Array.from({ length: n }, () => ({ projectId: 'p', endpointId: id })));

  it.each([
    ['every permit is taken', { limit: 3 }, leased('a', 'b', 'c'), true],
    ['each endpoint has its maximum', {}, [...many('a', 16), ...many('b', 16)], true],
    ['each endpoint has its maximum, including earlier leases', { inFlight: new Map([['a', 12]]) }, many('a', 4), true],
    ['each of eight endpoints of a project has its share', { limit: 100 }, eight(8), true],
    ['one of eight endpoints had room for more', { limit: 100 }, eight(8).slice(1), false],
    ['an endpoint had room for more', {}, [...many('a', 16), ...many('b', 3)], false],
    ['nothing was due', {}, [], false],
  ])('is assumed to exist when %s', (_, of, got, behind) => {
    expect(tookAll(got, { ...capacity(0), ...of })).toBe(behind);
  });
});

describe('WH7: a failing proxy', () => {
  const left = (throttle: LeaseThrottle, posting: number) => {
    const narrowed = capacity(posting);
    throttle.narrow(narrowed);
    return narrowed.limit;
  };

  it('is tried by one delivery at a time, two seconds after the last', () => {
    const throttle = new LeaseThrottle();
    throttle.note({ proxyFault: 'responded with 407' });
    expect([throttle.waitMs(capacity(0)), left(throttle, 0), left(throttle, 1)]).toEqual([2000, 1, 0]);
    vi.advanceTimersByTime(2000);
    expect([throttle.waitMs(capacity(0)), left(throttle, 0)]).toEqual([0, 1]);
  });

  it('counts as recovered as soon as anything gets through', () => {
    const throttle = new LeaseThrottle();
    throttle.note({ proxyFault: 'ECONNREFUSED' });
    throttle.note({});
    expect([throttle.waitMs(capacity(0)), left(throttle, 1)]).toEqual([0, MAX_CONCURRENT_POSTS - 1]);
  });
});
