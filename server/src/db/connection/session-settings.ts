// What every session with PostgreSQL is told first (DB2), whatever defaults its role or its database has.

/**
 * What the service reads and writes depends on these: how times and numbers are spelt, what a statement sees of others, which tables
 * a name means. They are PostgreSQL's own defaults, but for `jit` and
 * `idle_in_transaction_session_timeout`.
 */
const SETTINGS = {
  // First, for those of the role count until then.
  statement_timeout: '0',
  lock_timeout: '0',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  xmloption: 'content',
  row_security: 'on',
  search_path: '"$user", public',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // PostgreSQL compiles a statement that it thinks will be expensive, which takes 80 ms and more: longer than any of ours takes.
  jit: 'off',
  // A process that is frozen in the middle of a transaction holds its row locks.
  idle_in_transaction_session_timeout: '30s',
  // Connections of the pool and the listener are idle for as long as nothing happens.
  idle_session_timeout: '0',
} as const satisfies Record<string, string>;

/** Those that only some versions have. */
const NEWER = { transaction_timeout: '0' };

/** `off` would lose what was answered when the server crashes (I2). Any other value is the operator's choice. */
const DURABLE = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** The one setting that an address may choose for itself. */
const FREE = 'search_path';

/** Which of these names of settings an address may not set. */
export const reservedAmong = (names: readonly string[]): string[] => {
  const own = new Set(Object.keys({ ...SETTINGS, ...NEWER }).map((name) => name.toLowerCase()));
  return names.filter((name) => own.has(name.toLowerCase()) && name.toLowerCase() !== FREE);
};

/** The statements that begin a session, as one text. `chosen`: the names of settings that the address has chosen. */
export function sessionSettings(chosen: readonly string[]): string {
  const own = Object.entries(SETTINGS).filter(([name]) => !chosen.some((each) => each.toLowerCase() === name));
  const newer = Object.entries(NEWER).map(
    ([name, value]) => `select set_config(name, '${value}', false) from pg_settings where name = '${name}'`,
  );
  return [...own.map(([name, value]) => `set ${name} = ${literal(name, value)}`), ...newer, DURABLE].join('; ');
}

/** A list of names is not a text. */
const literal = (name: string, value: string): string => (name === FREE ? value : `'${value}'`);
