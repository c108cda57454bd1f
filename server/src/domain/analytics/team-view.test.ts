// The figures of the live team view (FL1, FL2, FL4): by table and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drainOf, median, stuckAfter, timesOf, type TimedDecision, type TimedFlow } from './team-view.ts';

const made = (userId: string, claimed: number | null, decided: number): TimedDecision => ({
  userId,
  claimedAt: claimed === null ? null : claimed * 1000,
  decidedAt: decided * 1000,
});

describe('FL1: how long a decision takes', () => {
  it.each<[string, TimedDecision[], number[]]>([
    ['from the claim to the decision', [made('ana', 100, 130)], [30]],
    ['from the previous decision when several items are held', [made('ana', 0, 20), made('ana', 0, 25)], [20, 5]],
    ['in any order of the rows', [made('ana', 0, 25), made('ana', 0, 20)], [20, 5]],
    ['separately for each person', [made('ana', 0, 20), made('ben', 0, 25)], [20, 25]],
    ['unknown without the claim', [made('ana', null, 20), made('ana', 10, 30)], [10]],
    ['unknown where it took less than a second', [made('ana', 0, 0.9), made('ana', 0, 1.9)], [1]],
    ['empty without decisions', [], []],
  ])('measures how long a decision takes: %s', (_, rows, seconds) => {
    expect(timesOf(rows).map((time) => time.seconds)).toEqual(seconds);
  });

  it('the median is the middle value, or the mean of the two in the middle, and null without values', () => {
    expect([median([]), median([7]), median([9, 1, 5]), median([4, 1, 2, 8])]).toEqual([null, 7, 5, 3]);
  });

  it('the median has equally many values below as above it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 }), (values) => {
        const middle = median(values) ?? Number.NaN;
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });
});

describe('FL2: who is stuck', () => {
  it.each([
    [null, 600],
    [0, 600],
    [30, 600],
    [120, 600],
    [121, 605],
    [600, 3000],
  ])('with a median of %s s: after %d s', (usual, after) => {
    expect(stuckAfter(usual)).toBe(after);
  });
});

const flows = (quarter: [number, number], hour: [number, number]): TimedFlow[] => [
  { minutes: 15, arrived: quarter[0], decided: quarter[1], seconds: 900 },
  { minutes: 60, arrived: hour[0], decided: hour[1], seconds: 3600 },
];

describe('FL4: the queue', () => {
  it.each<[string, number, TimedFlow[], object]>([
    ['is empty now', 0, flows([9, 0], [9, 0]), { state: 'empty', seconds: 0, minutes: null }],
    [
      'at the rate of the last quarter of an hour',
      10,
      flows([5, 10], [9, 90]),
      { state: 'draining', seconds: 1800, minutes: 15 },
    ],
    [
      'at the rate of the last hour when the quarter has too few decisions',
      10,
      flows([0, 4], [0, 5]),
      { state: 'draining', seconds: 7200, minutes: 60 },
    ],
    [
      'is unknown with too few decisions',
      10,
      flows([0, 2], [0, 4]),
      { state: 'too_few', seconds: null, minutes: null },
    ],
    ['is unknown when nobody decides', 10, flows([9, 0], [40, 0]), { state: 'too_few', seconds: null, minutes: null }],
    ['grows', 10, flows([11, 10], [0, 90]), { state: 'growing', seconds: null, minutes: 15 }],
    [
      'stays when as many items arrive as are decided',
      10,
      flows([10, 10], [0, 90]),
      { state: 'standing', seconds: null, minutes: 15 },
    ],
    [
      'does not move when it would take weeks',
      90_000,
      flows([9, 10], [0, 0]),
      { state: 'standing', seconds: null, minutes: 15 },
    ],
  ])('%s', (_, waiting, given, expected) => {
    expect(drainOf(waiting, given)).toEqual(expected);
  });

  const n = fc.integer({ min: 0, max: 10_000 });
  const any = fc.tuple(n, n, n, n).map(([a, b, c, d]) => flows([a, b], [c, d]));

  it('a duration is never negative or infinite, and is present exactly for the states that have one', () => {
    fc.assert(
      fc.property(n, any, (waiting, given) => {
        const { state, seconds } = drainOf(waiting, given);
        expect(seconds !== null).toBe(state === 'empty' || state === 'draining');
        if (seconds !== null) expect(Number.isFinite(seconds) && seconds >= 0).toBe(true);
      }),
    );
  });

  it('more waiting items at the same rate never take less time', () => {
    fc.assert(
      fc.property(n, n, any, (one, other, given) => {
        const [few, many] = [drainOf(Math.min(one, other), given), drainOf(Math.max(one, other), given)];
        if (few.seconds !== null && many.seconds !== null) expect(many.seconds).toBeGreaterThanOrEqual(few.seconds);
      }),
    );
  });
});
