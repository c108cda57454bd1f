// Which groups a report names when there are more than a chart can show.
import { describe, expect, it } from 'vitest';
import { sharesOf } from './report.ts';

const group = (key: string, n: number, part: number) => ({ measure: 'flag' as const, key, n, part, total: 0 });
const many = (count: number, n: number) =>
  Array.from({ length: count }, (_, at) => group(`flag ${String(at).padStart(3, '0')}`, n - at, 0));

describe('AN4: the groups of override rates', () => {
  it('are all listed while there are few, sorted by decisions', () => {
    const shares = sharesOf([group('b', 5, 1), group('a', 5, 2), group('c', 9, 0)], 'flag');
    expect(shares.map(({ key, decided, overridden }) => [key, decided, overridden])).toEqual([
      ['c', 9, 0],
      ['a', 5, 2],
      ['b', 5, 1],
    ]);
  });

  it('are limited to twenty, which include a rare one that is mostly overridden', () => {
    const shares = sharesOf([...many(60, 1000), group('rare', 40, 30)], 'flag');
    expect(shares).toHaveLength(20);
    expect(shares.slice(0, 10).map(({ decided }) => decided)).toEqual([...Array(10).keys()].map((at) => 1000 - at));
    expect(shares[10]).toMatchObject({ key: 'rare', decided: 40, overridden: 30 });
  });
});
