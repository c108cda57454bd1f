// Parses a database URL once for every connection: its parameters apply to each of them, or the start is refused (DB3).
import pg from 'pg';
import { DatabaseUrlError } from './database-url-error.ts';
import { parametersFromEnvironment, variablesNamedIn } from './libpq-variables.ts';
import { reservedAmong, sessionSettings } from './session-settings.ts';
import { type Tls, TLS_PARAMETERS, tlsCandidates } from './tls-modes.ts';
import { type Location, parseDatabaseUrl } from './url-parts.ts';

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
