// Merges pages of a log: new rows on top, older ones below, without duplicates or gaps.

interface Row {
  id: string;
}

export interface Page<R extends Row> {
  data: readonly R[];
  next_cursor: string | null;
}

/** The list, newest first, with the cursor to older rows. */
export interface Shown<R extends Row> {
  rows: readonly R[];
  cursor: string | null;
}

/**
 * Merges the newest page into the list: a listed row that is missing in its range has left the log. When it holds everything, or
 * more arrived than it holds, it starts the list over.
 */
export function withNewest<R extends Row>(shown: Shown<R> | null, newest: Page<R>): Shown<R> {
  const fresh = new Set(newest.data.map(({ id }) => id));
  const met = shown?.rows.findLastIndex(({ id }) => fresh.has(id)) ?? -1;
  if (shown === null || met === -1 || newest.next_cursor === null) {
    return { rows: newest.data, cursor: newest.next_cursor };
  }
  return { rows: [...newest.data, ...shown.rows.slice(met + 1)], cursor: shown.cursor };
}

/** Appends an older page below the list. */
export function withOlder<R extends Row>(shown: Shown<R>, older: Page<R>): Shown<R> {
  const known = new Set(shown.rows.map(({ id }) => id));
  return { rows: [...shown.rows, ...older.data.filter(({ id }) => !known.has(id))], cursor: older.next_cursor };
}
