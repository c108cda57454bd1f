// When a deliverer leases: at once, except that a few free slots wait for others, and a proxy that is away is tried now and then.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Room, tookAll } from './delivery-rows.ts';
import { Pace } from './pace.ts';

const SLOTS = 128;
const room = (posting: number): Room => ({ limit: SLOTS - posting, retries: 85, posting, inFlight: new Map() });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('free slots', () => {
  it('are filled at once while there was not more than they could take', () => {
    const pace = new Pace();
    expect(pace.waitMs(room(SLOTS - 1))).toBe(0);
    pace.leased({ posting: 30, backlog: false });
    expect([pace.waitMs(room(30)), pace.isBehind]).toEqual([0, false]);
  });

  it.each([SLOTS, 16])(
    'wait for company behind a backlog that took %i: until half are free, or for a moment',
    (posting) => {
      const pace = new Pace();
      pace.leased({ posting, backlog: true });
      expect(pace.isBehind).toBe(true);
      expect(pace.waitMs(room(Math.floor(posting / 2) + 1))).toBe(25);
      expect(pace.waitMs(room(Math.floor(posting / 2)))).toBe(0);
      vi.advanceTimersByTime(24);
      expect(pace.waitMs(room(posting))).toBe(1);
      vi.advanceTimersByTime(1);
      expect([pace.waitMs(room(posting)), pace.isBehind]).toEqual([0, false]);
    },
  );
});

describe('a backlog', () => {
  const leased = (...projects: string[]) => projects.map((projectId) => ({ projectId }));
  const many = (projectId: string, n: number) => leased(...Array<string>(n).fill(projectId));

  it.each([
    ['every slot is taken', { limit: 3 }, leased('a', 'b', 'c'), true],
    ['each project has all that it may', {}, [...many('a', 16), ...many('b', 16)], true],
    ['each project has all that it may, with what it had', { inFlight: new Map([['a', 12]]) }, many('a', 4), true],
    ['a project had room for more', {}, [...many('a', 16), ...many('b', 3)], false],
    ['nothing was due', {}, [], false],
  ])('where %s', (_, of, got, behind) => {
    expect(tookAll(got, { ...room(0), ...of })).toBe(behind);
  });
});

describe('WH7: a proxy that is away', () => {
  const left = (pace: Pace, posting: number) => {
    const narrowed = room(posting);
    pace.narrow(narrowed);
    return narrowed.limit;
  };

  it('is tried by one delivery at a time, two seconds after the last', () => {
    const pace = new Pace();
    pace.note({ proxyFault: 'answered 407' });
    expect([pace.waitMs(room(0)), left(pace, 0), left(pace, 1)]).toEqual([2000, 1, 0]);
    vi.advanceTimersByTime(2000);
    expect([pace.waitMs(room(0)), left(pace, 0)]).toEqual([0, 1]);
  });

  it('is forgotten as soon as anything comes through', () => {
    const pace = new Pace();
    pace.note({ proxyFault: 'ECONNREFUSED' });
    pace.note({});
    expect([pace.waitMs(room(0)), left(pace, 1)]).toEqual([0, SLOTS - 1]);
  });
});
