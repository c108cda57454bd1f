// How pages of a log join: new rows on top, older ones below, no row twice and no hole.

interface Row {
  id: string;
}

export interface Page<R extends Row> {
  data: readonly R[];
  next_cursor: string | null;
}

/** What is on show, newest first, with the way to what is older. */
export interface Shown<R extends Row> {
  rows: readonly R[];
  cursor: string | null;
}

/**
 * The newest page in place of as much of what is on show: a row that it passes over is none of the log any more. When
 * it holds everything, or more came than it holds, it begins the list anew.
 */
export function withNewest<R extends Row>(shown: Shown<R> | null, newest: Page<R>): Shown<R> {
  const fresh = new Set(newest.data.map(({ id }) => id));
  const met = shown?.rows.findLastIndex(({ id }) => fresh.has(id)) ?? -1;
  if (shown === null || met === -1 || newest.next_cursor === null) {
    return { rows: newest.data, cursor: newest.next_cursor };
  }
  return { rows: [...newest.data, ...shown.rows.slice(met + 1)], cursor: shown.cursor };
}

/** An older page below what is on show. */
export function withOlder<R extends Row>(shown: Shown<R>, older: Page<R>): Shown<R> {
  const known = new Set(shown.rows.map(({ id }) => id));
  return { rows: [...shown.rows, ...older.data.filter(({ id }) => !known.has(id))], cursor: older.next_cursor };
}
