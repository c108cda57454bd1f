// Tests how the load bench chooses pages, counts repeated questions and compares a page with its goals.
import { describe, expect, it } from 'vitest';
import { isMissed } from '../rows.ts';
import { medianOf, pagesFor, repeatedIn, rowsOf, type Load, type Scores } from './goals.ts';

const GOOD: Scores = { performance: 97, accessibility: 100, bestPractices: 100, lcp: 1200, tbt: 40, cls: 0 };
const LOAD: Load = {
  scripts: { count: 12, brotliKiB: 60, sentKiB: 71 },
  fonts: { count: 1, sentKiB: 30 },
  json: { count: 2, sentKiB: 3 },
  repeated: [],
};

describe('the load bench', () => {
  it.each([
    [[], 22],
    [['/'], 1],
    [['/queue', 'rules'], 2],
    [['/analytics'], 2],
  ])('opens the pages of %j: %d', (wanted, count) => expect(pagesFor(wanted)).toHaveLength(count));

  it('refuses a page that it does not know', () => expect(() => pagesFor(['/nowhere'])).toThrow('/nowhere'));

  it('names each question that was asked again', () =>
    expect(repeatedIn(['/a', '/b', '/a', '/a?x=1', '/a'])).toEqual(['/a', '/a']));

  it('takes the median of each figure', () => {
    const runs = [GOOD, { ...GOOD, performance: 60, lcp: 9000 }, { ...GOOD, performance: 95, lcp: 1500 }];
    expect(medianOf(runs)).toEqual({ ...GOOD, performance: 95, lcp: 1500 });
  });

  it.each<[string, Load, Scores[], string[]]>([
    ['within its limits', LOAD, [GOOD, GOOD], []],
    ['without Lighthouse', LOAD, [], []],
    ['too slow in one theme', LOAD, [GOOD, { ...GOOD, performance: 94 }], ['performance']],
    ['less than accessible', LOAD, [{ ...GOOD, accessibility: 99 }, GOOD], ['accessibility']],
    ['against a best practice', LOAD, [{ ...GOOD, bestPractices: 96 }, GOOD], ['best practices']],
    ['too large', { ...LOAD, scripts: { ...LOAD.scripts, brotliKiB: 60.1 } }, [], ['KiB of JavaScript']],
    ['heavy with fonts', { ...LOAD, fonts: { count: 3, sentKiB: 46 } }, [], ['KiB of fonts']],
    ['moving while it loads', LOAD, [GOOD, { ...GOOD, cls: 0.02 }], ['layout shift']],
    ['asking twice', { ...LOAD, repeated: ['/api/projects'] }, [], ['questions asked again']],
  ])('says what a page that is %s misses', (_, load, themes, missed) => {
    const [page] = pagesFor(['/']);
    const rows = page === undefined ? [] : rowsOf(page, load, themes);
    expect(rows.filter(isMissed).map(({ measure }) => measure)).toEqual(missed.map((what) => `/: ${what}`));
  });
});
