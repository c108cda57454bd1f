// Parses a database URL and its libpq variables once for all connections; what cannot apply to each is refused (DB3).
import pg from 'pg';
import { parse } from 'pg-connection-string';
import { DatabaseUrlError } from './database-url-error.ts';
import { reservedAmong, sessionSettings } from './session-settings.ts';
import { type Tls, TLS_PARAMETERS, tlsCandidates } from './tls-modes.ts';

/** One way to connect, shared by every connection of the process. */
export interface Connection {
  /** A host name, an IP address, or the directory of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** The driver configuration; a new object each time, because the driver modifies it. */
  config(): pg.ClientConfig;
  /** The initial statements of each session. */
  readonly settings: string;
}

export type ConnectionCandidates = readonly [Connection, ...Connection[]];

type Parameters = Readonly<Record<string, string>>;

/**
 * Time limit for opening a connection in milliseconds, unless `connect_timeout` is set; a pool waits as long for a free
 * one.
 */
const CONNECT_MS = 5000;

type Reader = (value: string) => pg.ClientConfig;

/** Parameters other than TLS and location, with their driver equivalents. */
const OTHERS: Readonly<Record<string, Reader>> = {
  options: (options) => ({ options }),
  application_name: (name) => ({ application_name: name }),
  fallback_application_name: (name) => ({ fallback_application_name: name }),
  connect_timeout: (text) => ({ connectionTimeoutMillis: seconds('connect_timeout', text) }),
  keepalives: (text) => ({ keepAlive: choice('keepalives', text, { 0: false, 1: true }) }),
  keepalives_idle: (text) => ({ keepAliveInitialDelayMillis: seconds('keepalives_idle', text) }),
  client_encoding: (text) => choice('client_encoding', text.toUpperCase().replace('-', ''), { UTF8: {}, AUTO: {} }),
  gssencmode: (text) => choice('gssencmode', text, { disable: {}, prefer: {} }),
  channel_binding: (text) => ({
    enableChannelBinding: choice('channel_binding', text, { disable: false, prefer: true }),
  }),
  target_session_attrs: (text) => choice('target_session_attrs', text, { any: {} }),
  // A driver option to parse the URL as libpq does, which this code does anyway.
  uselibpqcompat: (text) => choice('uselibpqcompat', text, { true: {} }),
};

const LOCATION_PARAMETERS = ['host', 'port', 'user', 'password', 'dbname'];

const KNOWN: ReadonlySet<string> = new Set([...LOCATION_PARAMETERS, ...TLS_PARAMETERS, ...Object.keys(OTHERS)]);

/**
 * The ways to connect, preferred one first; more than one only where `sslmode` allows it. `variables` are those of the
 * environment. Errors: `DatabaseUrlError` for anything unknown or unsupported.
 */
export function readDatabaseUrl(url: string, variables: NodeJS.ProcessEnv = {}): ConnectionCandidates {
  const { location, queryParameters } = parseDatabaseUrl(url, KNOWN);
  const defaults = parametersFromEnvironment(variables);
  try {
    return candidatesOf(targetOf(location, queryParameters, defaults), { ...defaults, ...queryParameters });
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    const used = Object.keys(defaults).filter((name) => !Object.hasOwn({ ...location, ...queryParameters }, name));
    const from = variablesNamedIn(error.message, used);
    throw from.length === 0
      ? error
      : new DatabaseUrlError(`${error.message} (${from.join(' and ')} of the environment)`);
  }
}

function candidatesOf(target: Target, parameters: Parameters): ConnectionCandidates {
  const others = Object.entries(OTHERS).map(([name, read]) =>
    parameters[name] === undefined ? {} : read(parameters[name]),
  );
  const chosen = settingsIn(parameters.options ?? '');
  refuseReserved(chosen);
  const settings = sessionSettings(chosen);
  const own: pg.ClientConfig = {
    ...{ fallback_application_name: 'countersign', connectionTimeoutMillis: CONNECT_MS, ...target },
  };
  const common = others.reduce((all, one) => ({ ...all, ...one }), own);
  const candidate = (ssl: Tls): Connection => ({
    ...{ host: target.host, port: target.port, database: target.database, settings },
    config: () => ({
      ...{ ...common, ssl: ssl === false ? false : { ...ssl } },
      // Set explicitly, so that the driver does not read it from the environment.
      sslnegotiation: ssl !== false && parameters.sslnegotiation === 'direct' ? 'direct' : 'postgres',
    }),
  });
  // A Unix socket has no TLS: its file permissions protect it.
  const [first, ...rest] = target.host.startsWith('/') ? ([false] as const) : tlsCandidates(parameters);
  return [candidate(first), ...rest.map(candidate)];
}

interface Target {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
}

/**
 * Host, user and database: query parameters take precedence over the rest of the URL, and that over the environment.
 */
function targetOf(at: Location, queryParameters: Parameters, defaults: Parameters): Target {
  const first = (name: keyof Location, parameter: string = name): string | undefined =>
    [queryParameters[parameter], at[name], defaults[parameter]].find((text) => text !== undefined && text !== '');
  const user = first('user') ?? pg.defaults.user ?? 'postgres';
  const host = first('host') ?? 'localhost';
  if (host.includes(',')) throw new DatabaseUrlError('only one host is supported');
  const password = first('password');
  return {
    ...{ host, user, port: portOf(first('port') ?? '5432'), database: first('database', 'dbname') ?? user },
    ...(password !== undefined && { password }),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new DatabaseUrlError('port must be a number from 1 to 65535');
}

/** In milliseconds. */
function seconds(parameter: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  throw new DatabaseUrlError(`${parameter} must be a number of seconds`);
}

function choice<T>(parameter: string, text: string, choices: Readonly<Record<string, T>>): T {
  const [found] = Object.entries(choices).filter(([name]) => name === text);
  if (found !== undefined) return found[1];
  throw new DatabaseUrlError(`${parameter} must be ${Object.keys(choices).join(' or ')}`);
}

/** The names of the settings in `options`, in every syntax that PostgreSQL accepts. */
const settingsIn = (options: string): string[] =>
  [...options.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)\s*=/g)].map(([, name = '']) => name.replaceAll('-', '_'));

function refuseReserved(chosen: readonly string[]): void {
  const [reserved] = reservedAmong(chosen);
  if (reserved !== undefined)
    throw new DatabaseUrlError(`options sets ${reserved}, which Countersign sets itself on every connection`);
}

/** The variables of libpq that count, with the parameters they set. */
const VARIABLES: Readonly<Record<string, string>> = {
  PGHOST: 'host',
  PGPORT: 'port',
  PGUSER: 'user',
  PGPASSWORD: 'password',
  PGDATABASE: 'dbname',
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGSSLNEGOTIATION: 'sslnegotiation',
  PGCHANNELBINDING: 'channel_binding',
  PGAPPNAME: 'application_name',
  PGOPTIONS: 'options',
  PGCONNECT_TIMEOUT: 'connect_timeout',
  PGGSSENCMODE: 'gssencmode',
  PGTARGETSESSIONATTRS: 'target_session_attrs',
};

/**
 * Other variables that decide where, how and as whom libpq or the driver connects: an operator who sets one would
 * believe that it applies. Session settings are always applied (DB2), and the driver supports PGPASSFILE.
 */
const IGNORED_VARIABLES = new RegExp(
  `^(${[
    ...['PGSSL\\w*', 'PGREQUIRESSL', 'PGREQUIREAUTH', 'PGREQUIREPEER', 'PGHOSTADDR', 'PGSERVICE'],
    ...['PGLOADBALANCEHOSTS', 'PGMINPROTOCOLVERSION', 'PGMAXPROTOCOLVERSION'],
    ...['PGKRBSRVNAME', 'PGGSSLIB', 'PGGSSDELEGATION', 'PGREPLICATION', 'PGBINARY'],
  ].join('|')})$`,
);

/** The parameters from the environment. Errors: `DatabaseUrlError` for a variable that would be ignored. */
function parametersFromEnvironment(variables: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined && value !== '');
  const refused = given.find(([variable]) => !Object.hasOwn(VARIABLES, variable) && IGNORED_VARIABLES.test(variable));
  if (refused !== undefined)
    throw new DatabaseUrlError(
      `the environment variable ${refused[0]} applies to libpq but is not supported here: unset it`,
    );
  return Object.fromEntries(
    given.flatMap(([variable, value = '']) => {
      const parameter = VARIABLES[variable];
      return parameter === undefined ? [] : [[parameter, value]];
    }),
  );
}

/** The variables that set the parameters named in the sentence. */
const variablesNamedIn = (sentence: string, parameters: readonly string[]): string[] =>
  Object.entries(VARIABLES)
    .filter(([, parameter]) => parameters.includes(parameter) && new RegExp(`\\b${parameter}\\b`).test(sentence))
    .map(([variable]) => variable);

type Location = Partial<Record<'host' | 'port' | 'user' | 'password' | 'database', string>>;

interface UrlParts {
  location: Location;
  /** The query parameters, each once. */
  queryParameters: Readonly<Record<string, string>>;
}

/** Errors: `DatabaseUrlError`, also for unknown parameters. */
function parseDatabaseUrl(url: string, known: ReadonlySet<string>): UrlParts {
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
