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
 * The same for a statement that reads tables that grow: it is planned again when they have doubled, so that no plan is older than that.
 * `rows` is about how many the largest has; 0: not known, and planned each time.
 */
export function plannedBySize(text: string): (rows: number) => string {
  return (rows) => (rows < 1 ? text : planned(`${text} -- up to ${2 ** Math.ceil(Math.log2(rows))} rows`));
}

/** The name of a prepared statement on every connection of this process; undefined for any other text. */
export const planNameOf = (text: string): string | undefined => names.get(text);
