// How newer answers join what is on show: nothing on the page moves until the reader says so.
import type { Cluster } from '@countersign/shared/api/clusters';
import type { Learning } from '@countersign/shared/api/learnings';

/** One answer of the server: its newest page, and the totals over everything. */
export interface Newest {
  data: readonly Learning[];
  next_cursor: string | null;
  total: number;
  /** How many of them are left out of exports and counts. */
  excluded: number;
}

/** What is on show, newest first, with the way to what is older. */
export interface Shown {
  rows: readonly Learning[];
  cursor: string | null;
  /** The total when the newest of these rows was the newest of all. */
  total: number;
}

const known = ({ rows }: Shown) => new Set(rows.map(({ id }) => id));

/** Those of the newest page that stand above something on show; null when nothing of it is on show. */
function above(shown: Shown, newest: Newest): Learning[] | null {
  const ids = known(shown);
  const last = newest.data.findLastIndex(({ id }) => ids.has(id));
  return last === -1 ? null : newest.data.slice(0, last).filter(({ id }) => !ids.has(id));
}

/** How many there are above what is on show. More than a page holds are told by the totals. */
export const freshCount = (shown: Shown, newest: Newest): number =>
  above(shown, newest)?.length ?? Math.max(0, newest.total - shown.total);

/** The rows without those of an item whose decision was undone: its learning is gone (LC2). */
export const withoutItem = (shown: Shown, itemId: string): Shown => filterRows(shown, (row) => row.item_id !== itemId);

/** The rows as they are in the newest page, and without those that it would have if they still were: not every fact was heard. */
export function refreshRows(shown: Shown, newest: Newest): Shown {
  const there = new Map(newest.data.map((row) => [row.id, row]));
  const reach = newest.next_cursor === null ? '' : (newest.data.at(-1)?.created_at ?? '');
  const remaining = filterRows(shown, ({ id, created_at }) => there.has(id) || created_at <= reach);
  return { ...remaining, rows: remaining.rows.map((row) => there.get(row.id) ?? row) };
}

function filterRows(shown: Shown, predicate: (row: Learning) => boolean): Shown {
  const rows = shown.rows.filter(predicate);
  return { ...shown, rows, total: shown.total - (shown.rows.length - rows.length) };
}

/** The rows with the newest on top. When more came than one page holds, the newest page begins the list anew: no hole is left. */
export function withNewest(shown: Shown, newest: Newest): Shown {
  const fresh = above(shown, newest);
  if (fresh === null) {
    return { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
  }
  return { rows: [...fresh, ...shown.rows], cursor: shown.cursor, total: newest.total };
}

/** The rows with an older page below; what is on show already is not repeated. */
export function withOlder(shown: Shown, older: Pick<Newest, 'data' | 'next_cursor'>): Shown {
  const ids = known(shown);
  return {
    ...shown,
    rows: [...shown.rows, ...older.data.filter(({ id }) => !ids.has(id))],
    cursor: older.next_cursor,
  };
}

/** The rows with one of them left out, or put in again. */
export const withExclusion = (shown: Shown, { id, excluded }: Pick<Learning, 'id' | 'excluded'>): Shown => ({
  ...shown,
  rows: shown.rows.map((row) => (row.id === id ? { ...row, excluded } : row)),
});

/** Clusters with their new counts in the places they had; new ones at the end. */
export function inCurrentOrder(shown: readonly Cluster[], next: readonly Cluster[]): Cluster[] {
  const now = new Map(next.map((cluster) => [cluster.id, cluster]));
  const remaining = shown.flatMap(({ id }) => now.get(id) ?? []);
  const known = new Set(shown.map(({ id }) => id));
  return [...remaining, ...next.filter(({ id }) => !known.has(id))];
}
