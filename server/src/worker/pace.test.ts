// When a deliverer leases: at once, except that a few free slots wait for others, and a proxy that is away is tried now and then.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Room } from './delivery-rows.ts';
import { Pace } from './pace.ts';

const room = (limit: number): Room => ({ limit, retries: 44, inFlight: new Map() });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('free slots', () => {
  it('are filled at once while there was not more than they could take', () => {
    const pace = new Pace();
    expect(pace.waitMs(room(1))).toBe(0);
    pace.leased(3, room(64));
    expect(pace.waitMs(room(1))).toBe(0);
  });

  it('wait for company behind a backlog: until there are enough, or for a moment', () => {
    const pace = new Pace();
    pace.leased(64, room(64));
    expect(pace.waitMs(room(15))).toBe(25);
    expect(pace.waitMs(room(16))).toBe(0);
    vi.advanceTimersByTime(24);
    expect(pace.waitMs(room(1))).toBe(1);
    vi.advanceTimersByTime(1);
    expect(pace.waitMs(room(1))).toBe(0);
  });
});

describe('WH7: a proxy that is away', () => {
  const left = (pace: Pace, posting: number) => {
    const narrowed = room(64 - posting);
    pace.narrow(narrowed, posting);
    return narrowed.limit;
  };

  it('is tried by one delivery at a time, two seconds after the last', () => {
    const pace = new Pace();
    pace.note({ proxyFault: 'answered 407' });
    expect([pace.waitMs(room(64)), left(pace, 0), left(pace, 1)]).toEqual([2000, 1, 0]);
    vi.advanceTimersByTime(2000);
    expect([pace.waitMs(room(64)), left(pace, 0)]).toEqual([0, 1]);
  });

  it('is forgotten as soon as anything comes through', () => {
    const pace = new Pace();
    pace.note({ proxyFault: 'ECONNREFUSED' });
    pace.note({});
    expect([pace.waitMs(room(64)), left(pace, 1)]).toEqual([0, 63]);
  });
});
