// The error for an invalid database URL.

/** The message names the parameter and its valid values; it never contains a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}
