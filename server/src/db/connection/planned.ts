// The registry of prepared statements: frequent statements and their names (decision 0009).

const names = new Map<string, string>();

/**
 * Marks a frequent statement: each connection prepares it once. `text` must be a constant; every distinct text stays
 * prepared for the lifetime of the process. It returns named columns, never all of a table: PostgreSQL refuses a prepared statement
 * whose result has changed, and a migration adds columns while processes of the version before run.
 */
export function planned(text: string): string {
  if (!names.has(text)) names.set(text, `countersign_${names.size + 1}`);
  return text;
}

/**
 * Like `planned`, for a statement over tables that grow: each doubling of `rows`, about the size of the largest table, makes a new text
 * and so a new plan. Each connection keeps the earlier ones, at most one per power of two. 0: the size is not known, planned each time.
 */
export function plannedBySize(text: string): (rows: number) => string {
  return (rows) => (rows < 1 ? text : planned(`${text} -- up to ${2 ** Math.ceil(Math.log2(rows))} rows`));
}

/** The name of a prepared statement on every connection of this process; undefined for any other text. */
export const planNameOf = (text: string): string | undefined => names.get(text);
