// How newer answers join what is on show: nothing on the page moves until the reader says so.
import type { Cluster } from '@countersign/shared/api/clusters';
import type { Learning } from '@countersign/shared/api/insights';

/** One answer of the server: its newest page, and the totals over everything. */
export interface Newest {
  data: readonly Learning[];
  next_cursor: string | null;
  total: number;
}

/** What is on show, newest first, with the way to what is older. */
export interface Shown {
  rows: readonly Learning[];
  cursor: string | null;
  /** The total when the newest of these rows was the newest of all. */
  total: number;
}

/** How many there are that are not on show: learnings are never taken back, so the totals tell. */
export const freshCount = (shown: Shown, newest: Newest): number => Math.max(0, newest.total - shown.total);

/** The rows with the newest on top. When more came than one page holds, the newest page begins the list anew: no hole is left. */
export function withNewest(shown: Shown, newest: Newest): Shown {
  const known = new Set(shown.rows.map(({ id }) => id));
  const fresh = newest.data.filter(({ id }) => !known.has(id));
  const meets = fresh.length < newest.data.length || newest.next_cursor === null;
  if (!meets || shown.rows.length === 0) {
    return { rows: newest.data, cursor: newest.next_cursor, total: newest.total };
  }
  return { rows: [...fresh, ...shown.rows], cursor: shown.cursor, total: newest.total };
}

/** The rows with an older page below; what is on show already is not repeated. */
export function withOlder(shown: Shown, older: Pick<Newest, 'data' | 'next_cursor'>): Shown {
  const known = new Set(shown.rows.map(({ id }) => id));
  return {
    ...shown,
    rows: [...shown.rows, ...older.data.filter(({ id }) => !known.has(id))],
    cursor: older.next_cursor,
  };
}

/** Clusters with their new counts in the places they had; new ones at the end. */
export function inPlace(shown: readonly Cluster[], next: readonly Cluster[]): Cluster[] {
  const now = new Map(next.map((cluster) => [cluster.id, cluster]));
  const kept = shown.flatMap(({ id }) => now.get(id) ?? []);
  const known = new Set(shown.map(({ id }) => id));
  return [...kept, ...next.filter(({ id }) => !known.has(id))];
}
