// Splits a database URL into its parts, and never quotes anything that may belong to the password.
import { parse } from 'pg-connection-string';
import { DatabaseUrlError } from './database-url-error.ts';

export type Location = Partial<Record<'host' | 'port' | 'user' | 'password' | 'database', string>>;

export interface UrlParts {
  location: Location;
  /** The query parameters, each once. */
  queryParameters: Readonly<Record<string, string>>;
}

/** Errors: `DatabaseUrlError`, also for unknown parameters. */
export function parseDatabaseUrl(url: string, known: ReadonlySet<string>): UrlParts {
  // Everything after a # would be dropped.
  if (url.includes('#') || PASSWORD_OR_QUERY.test(url)) throw unreadable();
  const queryAt = url.includes('?') ? url.indexOf('?') : url.length;
  // First, because the query can only be read if the part before it is valid.
  const location = locationIn(url.slice(0, queryAt));
  return { location, queryParameters: parametersIn(url.slice(queryAt), known) };
}

/**
 * A `?` before the `@` that ends user and password: libpq reads it as part of the password, others as the start of the
 * query.
 */
const PASSWORD_OR_QUERY = /^\w+:\/\/[^/?@]*\?[^/]*@/;

/** With the parser of the driver. */
function locationIn(location: string): Location {
  try {
    const { host, port, user, password, database } = parse(location);
    const parts = { host, port, user, password, database };
    return Object.fromEntries(Object.entries(parts).filter(([, text]) => typeof text === 'string' && text !== ''));
  } catch {
    throw unreadable();
  }
}

function parametersIn(query: string, known: ReadonlySet<string>): Record<string, string> {
  const named = [...new URLSearchParams(query)].map(([name, value]): [string, string] =>
    // As libpq does, for URLs written for JDBC.
    name === 'ssl' && value === 'true' ? ['sslmode', 'require'] : [name, value],
  );
  const unknown = named.find(([name]) => !known.has(name));
  if (unknown !== undefined) throw notUnderstood(unknown[0], query);
  const queryParameters = new Map<string, string>();
  for (const [name, value] of named) {
    if ((queryParameters.get(name) ?? value) !== value) throw givenTwice(name);
    queryParameters.set(name, value);
  }
  return Object.fromEntries(queryParameters);
}

/** Quotes a parameter name, unless it could be the end of a password. */
const notUnderstood = (name: string, query: string): DatabaseUrlError =>
  /^[a-z_]{1,40}$/.test(name) && !query.includes('@')
    ? new DatabaseUrlError(`the parameter ${name} is not supported: remove it, or use another one`)
    : unreadable();

const givenTwice = (name: string): DatabaseUrlError => {
  const why = name === 'sslmode' ? ' (ssl=true is sslmode=require)' : '';
  return new DatabaseUrlError(`the parameter ${name} is set twice, with different values${why}`);
};

const unreadable = (): DatabaseUrlError =>
  new DatabaseUrlError(
    'it cannot be read; write characters such as # ? / @ : % in its password and other values as %23 %3F %2F %40 %3A %25, and names of parameters in small letters',
  );
