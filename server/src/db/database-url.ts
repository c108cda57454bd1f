// Reads a PostgreSQL address, once for every connection: what it says reaches each of them, or the start is refused (DB3).
import pg from 'pg';
import { parse } from 'pg-connection-string';
import { DatabaseUrlError } from './database-url-error.ts';
import { reservedAmong, sessionSettings } from './session-settings.ts';
import { type Tls, TLS_PARAMETERS, tlsWays } from './tls-modes.ts';

/** One way to connect, for every connection of the process. */
export interface Connection {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** What the driver takes; a new one each time, because the driver changes what it is given. */
  config(): pg.ClientConfig;
  /** The statements that begin each session. */
  readonly settings: string;
}

export type Ways = readonly [Connection, ...Connection[]];

type Parameters = Readonly<Record<string, string>>;

/** The variables that libpq reads where the address says nothing, and the parameters they stand for. */
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
};

type Reader = (value: string) => pg.ClientConfig;

/** Parameters beside those of TLS and of the place, and what each is to the driver. */
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
  // Of the driver: to read the address as libpq does, which is what is done here.
  uselibpqcompat: (text) => choice('uselibpqcompat', text, { true: {} }),
};

const PLACE = ['host', 'port', 'user', 'password', 'dbname'];

/**
 * The ways to connect, the preferred one first; more than one only where `sslmode` leaves it open. `variables` are those of the
 * environment. Errors: `DatabaseUrlError`, for anything that is not understood.
 */
export function readDatabaseUrl(url: string, variables: NodeJS.ProcessEnv = {}): Ways {
  const said = parametersOf(url);
  const defaults = defaultsOf(variables);
  const parameters = { ...defaults, ...said };
  const place = placeOf(locationIn(url), said, defaults);
  const others = Object.entries(OTHERS).map(([name, read]) =>
    parameters[name] === undefined ? {} : read(parameters[name]),
  );
  const chosen = settingsIn(parameters.options ?? '');
  refuseReserved(chosen);
  const settings = sessionSettings(chosen);
  const { sslnegotiation } = parameters;
  const own: pg.ClientConfig = { fallback_application_name: 'countersign', ...place };
  const common = others.reduce((all, one) => ({ ...all, ...one }), own);
  const way = (ssl: Tls): Connection => ({
    ...{ host: place.host, port: place.port, database: place.database, settings },
    config: () => ({
      ...common,
      ssl: ssl === false ? false : { ...ssl },
      ...(sslnegotiation === 'direct' && { sslnegotiation }),
    }),
  });
  // A socket in a folder has no TLS: its permissions are what protects it.
  const [first, ...rest] = place.host.startsWith('/') ? ([false] as const) : tlsWays(parameters);
  return [way(first), ...rest.map(way)];
}

/** The parameters of the query, each of them understood; the last of several with one name counts. */
function parametersOf(url: string): Parameters {
  const query = new URLSearchParams(url.slice(queryAt(url)).replace(/#.*$/s, ''));
  const known = new Set([...PLACE, ...TLS_PARAMETERS, ...Object.keys(OTHERS)]);
  const named = [...query].map(([name, value]): [string, string] =>
    // As libpq does, for addresses that were made for JDBC.
    name === 'ssl' && value === 'true' ? ['sslmode', 'require'] : [name, value],
  );
  const unknown = named.find(([name]) => !known.has(name));
  if (unknown !== undefined)
    throw new DatabaseUrlError(`the parameter ${unknown[0]} is not understood: remove it, or use another one`);
  return Object.fromEntries(named);
}

const queryAt = (url: string): number => (url.includes('?') ? url.indexOf('?') : url.length);

const defaultsOf = (variables: NodeJS.ProcessEnv): Parameters =>
  Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([variable, name]) => {
      const value = variables[variable];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );

interface Place {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
}

/** Where, as whom and which database: what the query says counts most, then the address before it, then the environment. */
function placeOf(at: Location, said: Parameters, defaults: Parameters): Place {
  const first = (name: keyof Location, parameter: string = name): string | undefined =>
    [said[parameter], at[name], defaults[parameter]].find((text) => text !== undefined && text !== '');
  const user = first('user') ?? pg.defaults.user ?? 'postgres';
  const host = first('host') ?? 'localhost';
  if (host.includes(',')) throw new DatabaseUrlError('one host is taken, not several');
  const password = first('password');
  return {
    ...{ host, user, port: portOf(first('port') ?? '5432'), database: first('database', 'dbname') ?? user },
    ...(password !== undefined && { password }),
  };
}

type Location = Partial<Record<'host' | 'port' | 'user' | 'password' | 'database', string>>;

/** The part before the query, by the driver's own parser. */
function locationIn(url: string): Location {
  const location = url.slice(0, queryAt(url));
  if (location.includes('#')) throw unreadable();
  try {
    const { host, port, user, password, database } = parse(location);
    const said = { host, port, user, password, database };
    return Object.fromEntries(Object.entries(said).filter(([, text]) => typeof text === 'string'));
  } catch {
    throw unreadable();
  }
}

const unreadable = () =>
  new DatabaseUrlError(
    'it cannot be read; write characters such as # ? / @ : % in its password as %23 %3F %2F %40 %3A %25',
  );

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new DatabaseUrlError('port takes a number from 1 to 65535');
}

/** In milliseconds. */
function seconds(parameter: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  throw new DatabaseUrlError(`${parameter} takes a number of seconds`);
}

function choice<T>(parameter: string, text: string, choices: Readonly<Record<string, T>>): T {
  const [found] = Object.entries(choices).filter(([name]) => name === text);
  if (found !== undefined) return found[1];
  throw new DatabaseUrlError(`${parameter} takes ${Object.keys(choices).join(' or ')}`);
}

/** The names of the settings that `options` sets, in each of the spellings that PostgreSQL takes. */
const settingsIn = (options: string): string[] =>
  [...options.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)\s*=/g)].map(([, name = '']) => name.replaceAll('-', '_'));

function refuseReserved(chosen: readonly string[]): void {
  const [reserved] = reservedAmong(chosen);
  if (reserved !== undefined)
    throw new DatabaseUrlError(`options sets ${reserved}, which Countersign sets itself on every connection`);
}
