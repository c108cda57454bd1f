// Newer learnings join on top without a gap, older ones below without repetition, and clusters retain their positions.
import type { Cluster } from '@countersign/shared/schemas/clusters';
import type { Learning } from '@countersign/shared/schemas/learnings';
import { describe, expect, it } from 'vitest';
import {
  freshCount,
  inCurrentOrder,
  withExclusion,
  withNewest,
  withOlder,
  refreshRows,
  withoutItem,
  type Newest,
  type Shown,
} from './merge-pages.ts';

const rows = (...ids: number[]) => ids.map((id) => ({ id: String(id) }) as Learning);
const ids = ({ rows }: Shown) => rows.map(({ id }) => Number(id));
const shown: Shown = { rows: rows(5, 4, 3), cursor: 'before 3', total: 5 };

describe('withNewest', () => {
  it('puts new rows on top and retains the cursor to older ones', () => {
    const next = withNewest(shown, { data: rows(7, 6, 5, 4), next_cursor: 'before 4', total: 7, excluded: 0 });
    expect(ids(next)).toEqual([7, 6, 5, 4, 3]);
    expect(next).toMatchObject({ cursor: 'before 3', total: 7 });
  });

  it('starts over when more arrived than a page holds, so that no gap is left', () => {
    const next = withNewest(shown, { data: rows(12, 11, 10), next_cursor: 'before 10', total: 12, excluded: 0 });
    expect(ids(next)).toEqual([12, 11, 10]);
    expect(next).toMatchObject({ cursor: 'before 10', total: 12 });
  });

  it('fills an empty list', () => {
    const none: Shown = { rows: [], cursor: null, total: 0 };
    const next = withNewest(none, { data: rows(1), next_cursor: null, total: 1, excluded: 0 });
    expect(ids(next)).toEqual([1]);
  });
});

describe('freshCount', () => {
  it('counts unlisted rows, beyond one page too', () => {
    expect(freshCount(shown, { data: rows(9, 8, 7), next_cursor: 'x', total: 40, excluded: 0 })).toBe(35);
    expect(freshCount(shown, { data: rows(5, 4, 3), next_cursor: null, total: 5, excluded: 0 })).toBe(0);
  });
});

describe('withOlder', () => {
  it('adds missing rows below', () => {
    const next = withOlder(shown, { data: rows(3, 2, 1), next_cursor: null });
    expect(ids(next)).toEqual([5, 4, 3, 2, 1]);
    expect(next).toMatchObject({ cursor: null, total: 5 });
  });
});

describe('inCurrentOrder', () => {
  it('changes counts in place; a new cluster comes last, a removed one disappears', () => {
    const of = (id: string, size: number) => ({ id, size }) as Cluster;
    expect(inCurrentOrder([of('a', 3), of('b', 2)], [of('b', 9), of('c', 4), of('a', 3)])).toEqual([
      of('a', 3),
      of('b', 9),
      of('c', 4),
    ]);
    expect(inCurrentOrder([of('a', 3), of('b', 2)], [of('b', 5)])).toEqual([of('b', 5)]);
  });
});

it('withExclusion excludes the one row, wherever it is', () => {
  const next = withExclusion(shown, { id: '4', excluded: true });
  expect(next.rows.map(({ id, excluded }) => [id, excluded === true])).toEqual([
    ['5', false],
    ['4', true],
    ['3', false],
  ]);
});

describe('LC2: an undone learning', () => {
  const at = (id: number) =>
    ({ id: String(id), item_id: `item ${id}`, created_at: `2026-01-01T00:00:${id + 10}Z` }) as Learning;
  const page = (data: number[], total: number, next_cursor: string | null = 'on'): Newest => ({
    data: data.map(at),
    next_cursor,
    total,
    excluded: 0,
  });
  const seen: Shown = { rows: [5, 4, 3].map(at), cursor: 'before 3', total: 9 };

  it('leaves at once, and its replacement is offered', () => {
    const next = withoutItem(seen, 'item 5');
    expect([ids(next), next.total]).toEqual([[4, 3], 8]);
    expect(withoutItem(seen, 'item 1')).toEqual(seen);
    const newest = page([6, 4, 3], 9);
    expect(freshCount(next, newest)).toBe(1);
    expect(ids(withNewest(next, newest))).toEqual([6, 4, 3]);
  });

  it('does not make an older row new that moves up into the newest page', () => {
    const next = withoutItem(seen, 'item 5');
    expect(freshCount(next, page([4, 3, 2], 8))).toBe(0);
    expect(ids(withNewest(next, page([6, 4, 3, 2], 9)))).toEqual([6, 4, 3]);
  });

  it('leaves also without an event, as far as the newest page reaches', () => {
    const next = refreshRows(seen, page([6, 5, 3], 9));
    expect([ids(next), next.total]).toEqual([[5, 3], 8]);
    expect(ids(refreshRows(seen, page([8, 7, 6], 12)))).toEqual([5, 4, 3]);
    expect(ids(refreshRows(seen, page([5], 1, null)))).toEqual([5]);
  });

  it('LX5: is excluded, or included again, also without an event', () => {
    const newest = page([6, 5, 4, 3], 9);
    const marked = { ...newest, data: newest.data.map((row) => ({ ...row, excluded: row.id === '5' })) };
    expect(refreshRows(seen, marked).rows.map(({ excluded }) => excluded)).toEqual([true, false, false]);
  });
});
