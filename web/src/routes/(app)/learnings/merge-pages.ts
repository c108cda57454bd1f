// Merges newer answers into the list: nothing on the page moves until the user asks for it.
import type { Cluster } from '@countersign/shared/schemas/clusters';
import type { Learning } from '@countersign/shared/schemas/learnings';

/** One answer of the server: its newest page, and the totals over everything. */
export interface Newest {
  data: readonly Learning[];
  next_cursor: string | null;
  total: number;
  /** How many of them are excluded from exports and counts. */
  excluded: number;
}

/** The list, newest first, with the cursor to older rows. */
export interface Shown {
  rows: readonly Learning[];
  cursor: string | null;
  /** The total when the newest of these rows was the newest of all. */
  total: number;
}

const known = ({ rows }: Shown) => new Set(rows.map(({ id }) => id));

/** The rows of the newest page that are above a listed one; null when it contains no listed one. */
function above(shown: Shown, newest: Newest): Learning[] | null {
  const ids = known(shown);
  const last = newest.data.findLastIndex(({ id }) => ids.has(id));
  return last === -1 ? null : newest.data.slice(0, last).filter(({ id }) => !ids.has(id));
}

/** How many are above the list. Beyond one page the totals tell. */
export const freshCount = (shown: Shown, newest: Newest): number =>
  above(shown, newest)?.length ?? Math.max(0, newest.total - shown.total);

/** The rows without those of an item whose decision was undone (LC2) or revised (RV5): its learning counts no longer. */
export const withoutItem = (shown: Shown, itemId: string): Shown => filterRows(shown, (row) => row.item_id !== itemId);

/** The rows as in the newest page, without those that it would contain if they still existed: an event may be missing. */
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

/**
 * The rows with the newest on top. When more arrived than one page holds, the list starts over with the newest page, so that no
 * gap is left.
 */
export function withNewest(shown: Shown, newest: Newest): Shown {
  const fresh = above(shown, newest);
  if (fresh === null) {
    return { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
  }
  return { rows: [...fresh, ...shown.rows], cursor: shown.cursor, total: newest.total };
}

/** The rows with an older page below; listed ones are not repeated. */
export function withOlder(shown: Shown, older: Pick<Newest, 'data' | 'next_cursor'>): Shown {
  const ids = known(shown);
  return {
    ...shown,
    rows: [...shown.rows, ...older.data.filter(({ id }) => !ids.has(id))],
    cursor: older.next_cursor,
  };
}

/** The rows with one of them excluded, or included again. */
export const withExclusion = (shown: Shown, { id, excluded }: Pick<Learning, 'id' | 'excluded'>): Shown => ({
  ...shown,
  rows: shown.rows.map((row) => (row.id === id ? { ...row, excluded } : row)),
});

/** Clusters with their new counts in their old positions; new ones at the end. */
export function inCurrentOrder(shown: readonly Cluster[], next: readonly Cluster[]): Cluster[] {
  const now = new Map(next.map((cluster) => [cluster.id, cluster]));
  const remaining = shown.flatMap(({ id }) => now.get(id) ?? []);
  const known = new Set(shown.map(({ id }) => id));
  return [...remaining, ...next.filter(({ id }) => !known.has(id))];
}
