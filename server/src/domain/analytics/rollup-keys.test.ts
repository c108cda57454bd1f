// AN27: the event log alone determines which names of a day are counted separately.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Increment } from './rollup.ts';
import { dayOf, isFree, MOST_KEYS, OTHER_KEY, withBoundedKeys } from './rollup-keys.ts';

const DAY = 24 * 60 * 60_000;
const one = (key: string, at = 0, measure: Increment['measure'] = 'flag') => {
  return { projectId: 'p', measure, key, at, n: 1, part: 0, total: 0 };
};
const keysOf = (all: { key: string }[]) => all.map(({ key }) => key);
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => one(`key ${from + n}`));

describe('AN27: the keys of a day', () => {
  it('are the first ones, and the rest shares one key; keys that exist already stay', () => {
    const bounded = keysOf(withBoundedKeys([...many(MOST_KEYS + 5), one('key 3'), one(`key ${MOST_KEYS}`)], []));
    expect(bounded.slice(0, MOST_KEYS)).toEqual(keysOf(many(MOST_KEYS)));
    expect(bounded.slice(MOST_KEYS)).toEqual([...Array.from({ length: 5 }, () => OTHER_KEY), 'key 3', OTHER_KEY]);
  });

  it('are counted by day and measure, and only for measures whose keys people choose', () => {
    const full = many(MOST_KEYS);
    const more = [one('new', DAY), one('new', 0, 'model'), one('new', 0, 'reviewer'), one('new')];
    expect(keysOf(withBoundedKeys([...full, ...more], [])).slice(MOST_KEYS)).toEqual(['new', 'new', 'new', OTHER_KEY]);
  });

  it('are the same for any batches', () => {
    const increments = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 300 }), at: fc.constantFrom(0, DAY - 1, DAY) }),
      { maxLength: 400 },
    );
    fc.assert(
      fc.property(increments, fc.array(fc.nat(400), { maxLength: 6 }), (some, cuts) => {
        const all = some.map(({ key, at }) => one(`key ${key}`, at));
        const known: Parameters<typeof withBoundedKeys>[1][number][] = [];
        const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const batches = places.slice(1).flatMap((end, n) => {
          const bounded = withBoundedKeys(all.slice(places[n], end), known);
          for (const each of bounded) known.push({ ...each, day: dayOf(each.at) });
          return bounded;
        });
        expect(batches).toEqual(withBoundedKeys(all, []));
        expect(isFree('flag')).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
