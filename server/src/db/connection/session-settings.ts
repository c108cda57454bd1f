// The settings that every database session starts with, and those of them that a database URL may not set.

/**
 * The service depends on these: the format of times and numbers, the isolation level, the schema of a table name. They
 * are PostgreSQL's defaults, except `jit` and `idle_in_transaction_session_timeout`.
 */
const SETTINGS = {
  // First, because the role's timeout applies until then.
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
  // PostgreSQL compiles statements with a high estimated cost, which takes 80 ms or more: longer than any of ours runs.
  jit: 'off',
  // A process that freezes in a transaction holds its row locks.
  idle_in_transaction_session_timeout: '30s',
  // Connections of the pool and the listener are idle while nothing happens.
  idle_session_timeout: '0',
} as const satisfies Record<string, string>;

/** The same for settings that only newer PostgreSQL versions have. */
const NEWER = { transaction_timeout: '0' };

/** `off` would lose acknowledged writes when the server crashes (I2). Any other value is the operator's choice. */
const DURABLE = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** The only setting that a database URL may choose. */
const FREE = 'search_path';

/** Which of these settings a database URL may not set. */
export const reservedAmong = (names: readonly string[]): string[] => {
  const own = new Set(Object.keys({ ...SETTINGS, ...NEWER }).map((name) => name.toLowerCase()));
  return names.filter((name) => own.has(name.toLowerCase()) && name.toLowerCase() !== FREE);
};

/** The initial statements of a session, as one text. `chosen`: the settings that the URL sets. */
export function sessionSettings(chosen: readonly string[]): string {
  const own = Object.entries(SETTINGS).filter(([name]) => !chosen.some((each) => each.toLowerCase() === name));
  const newer = Object.entries(NEWER).map(
    ([name, value]) => `select set_config(name, '${value}', false) from pg_settings where name = '${name}'`,
  );
  return [...own.map(([name, value]) => `set ${name} = ${literal(name, value)}`), ...newer, DURABLE].join('; ');
}

/** A list of names must not be quoted as one literal. */
const literal = (name: string, value: string): string => (name === FREE ? value : `'${value}'`);
