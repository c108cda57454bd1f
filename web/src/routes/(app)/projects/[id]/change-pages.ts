// How pages of the change log join: new lines on top, older ones below, no line twice and no hole.
import type { ProjectChange } from '@countersign/shared/api/changes';

export interface Page {
  data: readonly ProjectChange[];
  next_cursor: string | null;
}

/** What is on show, newest first, with the way to what is older. */
export interface Shown {
  rows: readonly ProjectChange[];
  cursor: string | null;
}

/** The newest page on top of what is on show. When more came than it holds, it begins the list anew. */
export function withNewest(shown: Shown | null, newest: Page): Shown {
  const rows = shown?.rows ?? [];
  const fresh = new Set(newest.data.map(({ id }) => id));
  const below = rows.filter(({ id }) => !fresh.has(id));
  const meets = below.length < rows.length || newest.next_cursor === null;
  if (shown === null || !meets) return { rows: newest.data, cursor: newest.next_cursor };
  return { rows: [...newest.data, ...below], cursor: shown.cursor };
}

/** An older page below what is on show. */
export function withOlder(shown: Shown, older: Page): Shown {
  const known = new Set(shown.rows.map(({ id }) => id));
  return { rows: [...shown.rows, ...older.data.filter(({ id }) => !known.has(id))], cursor: older.next_cursor };
}
