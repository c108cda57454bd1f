// Tests the rows of the bench: statistics, goals and formats.
import { describe, expect, it } from 'vitest';
import { formatTable, median, meets, percentile } from './rows.ts';

describe('the bench', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
  ])('the median of %j is %d', (values, middle) => expect(median(values)).toBe(middle));

  it.each([
    [[], 0.99, NaN],
    [[3, 1, 2], 0.5, 2],
    [[3, 1, 2], 0.99, 3],
    [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
  ])('of %j the share %d is not above %d', (values, share, value) => expect(percentile(values, share)).toBe(value));

  it.each([
    [0.45, '>= 0.45', true],
    [0.449, '>= 0.45', false],
    [2, '<= 2', true],
    [2.01, '<= 2', false],
  ])('%d against %s: %s', (ratio, goal, met) => expect(meets(ratio, goal)).toBe(met));

  it('says what was missed', () => {
    const row = { section: 'intake', measure: 'of a rival', ours: 1234.5, rival: 2.345, ratio: 0.4, goal: '>= 0.45' };
    expect(formatTable([row])).toBe(
      [
        'section  measure     ours  rival  ratio  goal',
        '-------  ----------  ----  -----  -----  -------  ------',
        'intake   of a rival  1235  2.35   0.40   >= 0.45  MISSED',
      ].join('\n'),
    );
  });

  it('judges a figure without a rival alone, and only reports one without a goal', () => {
    const alone = { section: 'start', rival: null, ratio: null };
    const rows = [
      { ...alone, measure: 'first', ours: 2000, goal: null },
      { ...alone, measure: 'second', ours: 900, goal: '<= 1000' },
    ];
    expect(formatTable(rows).split('\n').slice(2)).toEqual([
      'start    first    2000',
      'start    second   900                 <= 1000  met',
    ]);
  });
});
