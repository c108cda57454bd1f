// Merging pages of a log.
import { expect, it } from 'vitest';
import { withNewest, withOlder, type Page, type Shown } from './log-pages.ts';

interface Row {
  id: string;
}

/** Rows by number: the higher, the newer. */
const rows = (...numbers: number[]): Row[] => numbers.map((number) => ({ id: String(number) }));
const page = (numbers: number[], next_cursor: string | null = 'on'): Page<Row> => ({
  data: rows(...numbers),
  next_cursor,
});
const shown = (numbers: number[], cursor: string | null = 'below'): Shown<Row> => ({ rows: rows(...numbers), cursor });

it.each<[string, Shown<Row> | null, Page<Row>, { ids: number[]; cursor: string | null }]>([
  ['the first page as it is', null, page([3, 2, 1]), { ids: [3, 2, 1], cursor: 'on' }],
  ['an empty page', null, page([], null), { ids: [], cursor: null }],
  ['nothing new', shown([3, 2, 1]), page([3, 2]), { ids: [3, 2, 1], cursor: 'below' }],
  ['new rows on top, older ones stay', shown([3, 2, 1]), page([5, 4, 3]), { ids: [5, 4, 3, 2, 1], cursor: 'below' }],
  ['the first rows of an empty list', shown([], null), page([1], null), { ids: [1], cursor: null }],
  ['more than one page: the list starts over', shown([3, 2, 1]), page([9, 8, 7]), { ids: [9, 8, 7], cursor: 'on' }],
  [
    'rows that left the log are removed',
    shown([5, 4, 3, 2, 1]),
    page([5, 3, 2]),
    { ids: [5, 3, 2, 1], cursor: 'below' },
  ],
  ['all rows left the log', shown([3, 2, 1], null), page([], null), { ids: [], cursor: null }],
  ['rows in between are inserted', shown([5, 3, 1]), page([5, 4, 3]), { ids: [5, 4, 3, 1], cursor: 'below' }],
])('newest: %s', (_, before, newest, expected) => {
  const after = withNewest(before, newest);
  expect({ ids: after.rows.map(({ id }) => Number(id)), cursor: after.cursor }).toEqual(expected);
});

it('appends older rows below, without duplicates', () => {
  const after = withOlder(shown([5, 4, 3]), page([3, 2, 1], null));
  expect([after.rows.map(({ id }) => Number(id)), after.cursor]).toEqual([[5, 4, 3, 2, 1], null]);
});
