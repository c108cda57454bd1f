// What is wrong with a PostgreSQL address.

/** The message says which parameter, and what it takes; never a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}
