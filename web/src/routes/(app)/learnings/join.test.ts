// Newer learnings join on top without a hole, older ones below without a repeat, and clusters keep their places.
import type { Cluster } from '@countersign/shared/api/clusters';
import type { Learning } from '@countersign/shared/api/insights';
import { describe, expect, it } from 'vitest';
import { freshCount, inPlace, withNewest, withOlder, type Shown } from './join.ts';

const rows = (...ids: number[]) => ids.map((id) => ({ id: String(id) }) as Learning);
const ids = ({ rows }: Shown) => rows.map(({ id }) => Number(id));
const shown: Shown = { rows: rows(5, 4, 3), cursor: 'before 3', total: 5 };

describe('withNewest', () => {
  it('puts what is new on top and keeps the way to what is older', () => {
    const next = withNewest(shown, { data: rows(7, 6, 5, 4), next_cursor: 'before 4', total: 7 });
    expect(ids(next)).toEqual([7, 6, 5, 4, 3]);
    expect(next).toMatchObject({ cursor: 'before 3', total: 7 });
  });

  it('begins anew when more came than a page holds: no hole between', () => {
    const next = withNewest(shown, { data: rows(12, 11, 10), next_cursor: 'before 10', total: 12 });
    expect(ids(next)).toEqual([12, 11, 10]);
    expect(next).toMatchObject({ cursor: 'before 10', total: 12 });
  });

  it('fills an empty list', () => {
    const none: Shown = { rows: [], cursor: null, total: 0 };
    const next = withNewest(none, { data: rows(1), next_cursor: null, total: 1 });
    expect(ids(next)).toEqual([1]);
  });
});

describe('freshCount', () => {
  it('counts what is not on show, beyond one page too', () => {
    expect(freshCount(shown, { data: rows(9, 8, 7), next_cursor: 'x', total: 40 })).toBe(35);
    expect(freshCount(shown, { data: rows(5, 4, 3), next_cursor: null, total: 5 })).toBe(0);
  });
});

describe('withOlder', () => {
  it('adds below what is not there yet', () => {
    const next = withOlder(shown, { data: rows(3, 2, 1), next_cursor: null });
    expect(ids(next)).toEqual([5, 4, 3, 2, 1]);
    expect(next).toMatchObject({ cursor: null, total: 5 });
  });
});

describe('inPlace', () => {
  it('changes counts where they stand; a new cluster comes last, one that is gone goes', () => {
    const of = (id: string, size: number) => ({ id, size }) as Cluster;
    expect(inPlace([of('a', 3), of('b', 2)], [of('b', 9), of('c', 4), of('a', 3)])).toEqual([
      of('a', 3),
      of('b', 9),
      of('c', 4),
    ]);
    expect(inPlace([of('a', 3), of('b', 2)], [of('b', 5)])).toEqual([of('b', 5)]);
  });
});
