// How pages of the change log join.
import { expect, it } from 'vitest';
import type { ProjectChange } from '@countersign/shared/api/changes';
import { withNewest, withOlder, type Page, type Shown } from './change-pages.ts';

/** Lines by number: the higher, the newer. */
const lines = (...numbers: number[]) => numbers.map((number) => ({ id: String(number) }) as ProjectChange);
const page = (numbers: number[], next_cursor: string | null = 'on'): Page => ({ data: lines(...numbers), next_cursor });
const shown = (numbers: number[], cursor: string | null = 'below'): Shown => ({ rows: lines(...numbers), cursor });

it.each<[string, Shown | null, Page, { ids: number[]; cursor: string | null }]>([
  ['the first page as it is', null, page([3, 2, 1]), { ids: [3, 2, 1], cursor: 'on' }],
  ['an empty one', null, page([], null), { ids: [], cursor: null }],
  ['nothing new', shown([3, 2, 1]), page([3, 2]), { ids: [3, 2, 1], cursor: 'below' }],
  ['new ones on top, older ones kept', shown([3, 2, 1]), page([5, 4, 3]), { ids: [5, 4, 3, 2, 1], cursor: 'below' }],
  ['the first ones of an empty list', shown([], null), page([1], null), { ids: [1], cursor: null }],
  ['more than one page: the list begins anew', shown([3, 2, 1]), page([9, 8, 7]), { ids: [9, 8, 7], cursor: 'on' }],
])('newest: %s', (_, before, newest, expected) => {
  const after = withNewest(before, newest);
  expect({ ids: after.rows.map(({ id }) => Number(id)), cursor: after.cursor }).toEqual(expected);
});

it('older ones go below, none twice', () => {
  const after = withOlder(shown([5, 4, 3]), page([3, 2, 1], null));
  expect([after.rows.map(({ id }) => Number(id)), after.cursor]).toEqual([[5, 4, 3, 2, 1], null]);
});
