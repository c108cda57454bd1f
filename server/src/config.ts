// Parses the environment, which nothing else reads, into typed configuration; an invalid value stops the start.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

export type ProcessRole = 'web' | 'worker';

export interface Config {
  listen: { host: string; port: number };
  /** The base URL of this service; no trailing slash. */
  baseUrl: string;
  /** How long an idle connection stays open for its next request. */
  patience: { keepAliveMs: number };
  roles: ReadonlySet<ProcessRole>;
  /** A PostgreSQL URL, or the directory of the embedded database. */
  database: GivenDatabase | { kind: 'embedded'; folder: string };
  redisUrl: string | null;
  /** The key ring that encrypts secrets at rest, as text. */
  secretKeys: string;
  demo: boolean;
  /** The operator's exceptions to the webhook guard, and the proxy for webhooks, with its password if any. */
  webhooks: { allowCidrs: string[]; allowHttp: boolean; proxyUrl: string | null };
  proxyHops: number;
  /** Who may create projects: anyone, or these wallets (PM7). */
  projectCreators: 'anyone' | readonly string[];
  /** Requests a minute of one API key. */
  rateLimitPerMinute: number;
  logLevel: string;
  /** Statements that take at least this long are logged, in ms. */
  slowStatementMs: number;
  /** A statement that someone waits for is cancelled after this long, in ms (DB1). */
  readLimitMs: number;
  /** The token for reading the metrics on the public port, and the port of their own. */
  metrics: { token: string | null; port: number | null };
  /** Where traces are sent, and for which share of all items. */
  traces: { url: string | null; share: number };
}

/** A PostgreSQL server, with the libpq variables that supply what its URL omits. */
export interface GivenDatabase {
  kind: 'postgres';
  url: string;
  poolSize: number;
  libpq: Record<string, string | undefined>;
  /** How messages name it, if not by its variable. */
  name?: string;
}

/** An invalid value; the message names the variable and its valid values. */
export class ConfigError extends Error {}

const flag = z.enum(['true', 'false', '1', '0', '']).transform((text) => text === 'true' || text === '1');
const port = z.coerce.number().int().min(0).max(65_535);

/** Each variable: its valid values in words, and its parser. Empty counts as unset. */
const VARIABLES = {
  PORT: ['a port number from 0 to 65535', port.default(3000)],
  HOST: [
    'an address to listen on, such as 127.0.0.1, 0.0.0.0 or ::1',
    z
      .string()
      .default('127.0.0.1')
      // IPv6 also in the brackets of a URL.
      .transform((text) => text.trim().replace(/^\[(.*)\]$/, '$1'))
      .refine((host) => isIP(host) !== 0 || /^(?!\d+(\.\d+)*$)[\w-]+(\.[\w-]+)*\.?$/.test(host)),
  ],
  PUBLIC_BASE_URL: [
    'an http or https address without a path',
    z
      .url({ protocol: /^https?$/ })
      .refine(isOrigin)
      .optional(),
  ],
  DATA_DIR: ['a folder', z.string().default('.data')],
  DATABASE_URL: [
    'a postgres:// address',
    z
      .string()
      .regex(/^postgres(ql)?:\/\//)
      .optional(),
  ],
  REDIS_URL: [
    'a redis:// or rediss:// address',
    z
      .string()
      .regex(/^rediss?:\/\//)
      .optional(),
  ],
  KEEP_ALIVE_SECONDS: ['a number from 1 to 86400', z.coerce.number().int().min(1).max(86_400).default(130)],
  ROLES: [
    'web, worker, or both with a comma',
    z
      .string()
      .default('web,worker')
      .transform(toList)
      .pipe(z.array(z.enum(['web', 'worker'])).min(1)),
  ],
  SECRET_KEYS: ['kid:base64 entries of 32-byte keys, separated by commas', z.string().optional()],
  DEMO: ['true or false', flag.default(false)],
  WEBHOOK_ALLOW_CIDRS: [
    'address ranges such as 10.0.0.0/8, separated by commas',
    z
      .string()
      .default('')
      .transform(toList)
      .refine((list) => list.every(isCidr)),
  ],
  WEBHOOK_ALLOW_HTTP: ['true or false', flag.default(false)],
  WEBHOOK_PROXY_URL: [
    'an http:// address with a port and without a path, such as http://user:password@proxy.internal:4750',
    z.string().refine(isProxyAddress).optional(),
  ],
  PROJECT_CREATORS: [
    'anyone, or wallet addresses separated by commas',
    z
      .string()
      .default('anyone')
      .transform((text) => (text.trim() === 'anyone' ? ('anyone' as const) : toList(text)))
      .refine((who) => who === 'anyone' || (who.length > 0 && who.every(isWallet))),
  ],
  TRUSTED_PROXY_HOPS: ['a number from 0 to 10', z.coerce.number().int().min(0).max(10).default(0)],
  RATE_LIMIT_PER_MINUTE: [
    'a number from 1 to 10000000',
    z.coerce.number().int().min(1).max(10_000_000).default(60_000),
  ],
  METRICS_TOKEN: [
    'printable characters without spaces',
    z
      .string()
      .regex(/^[!-~]+$/)
      .optional(),
  ],
  METRICS_PORT: ['a port number from 0 to 65535', port.optional()],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['an http or https address', z.url({ protocol: /^https?$/ }).optional()],
  OTEL_TRACES_SAMPLER_ARG: ['a number from 0 to 1', z.coerce.number().min(0).max(1).default(1)],
  READ_LIMIT_MS: ['a number from 100 to 600000', z.coerce.number().int().min(100).max(600_000).default(10_000)],
  SLOW_STATEMENT_MS: ['a number from 1 to 600000', z.coerce.number().int().min(1).max(600_000).default(1000)],
  LOG_LEVEL: [
    'one of fatal, error, warn, info, debug, trace, silent',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ],
} as const satisfies Record<string, readonly [string, z.ZodType]>;

type Values = { [Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name][1]> };

function toList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
}

/** The port must be explicit: a proxy without one is more likely a mistake than on port 80. */
function isProxyAddress(text: string): boolean {
  const url = /^http:\/\/[^/?#\\\s]+:\d+\/?$/.test(text) ? URL.parse(text) : null;
  return url !== null && url.port !== '0' && [url.username, url.password].every(isPercentEncoded);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks the spelling only; build-services.ts decodes it. */
const isWallet = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);

function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

/**
 * Secrets, which container platforms provide as files: `DATABASE_URL_FILE` names the file that contains `DATABASE_URL`,
 * and so on.
 */
const FROM_FILES = ['DATABASE_URL', 'REDIS_URL', 'SECRET_KEYS', 'WEBHOOK_PROXY_URL', 'METRICS_TOKEN'] as const;

/** The variables, including the content of their files. Errors: `ConfigError`. */
function withFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const named = FROM_FILES.filter((name) => isSet(env[`${name}_FILE`]));
  return { ...env, ...Object.fromEntries(named.map((name) => [name, contentOf(name, env)])) };
}

const isSet = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

function contentOf(name: (typeof FROM_FILES)[number], env: NodeJS.ProcessEnv): string {
  const path = env[`${name}_FILE`]?.trim() ?? '';
  if (isSet(env[name])) throw new ConfigError(`${name} and ${name}_FILE are both set: keep one of them.`);
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text !== '') return text;
  } catch {
    throw new ConfigError(`${name}_FILE must be a file that this process can read; ${path} is not.`);
  }
  throw new ConfigError(`${name}_FILE must be a file that contains the value; ${path} is empty.`);
}

export interface ReadOptions {
  /** False for a process that encrypts nothing: without a stored key ring it gets one of its own, which is not stored. */
  storesKeys?: boolean;
}

/** Reads the environment, by default that of the process. Errors: `ConfigError`. */
export function readConfig(given: NodeJS.ProcessEnv = process.env, { storesKeys = true }: ReadOptions = {}): Config {
  const env = withFiles(given);
  const values = Object.fromEntries(
    Object.entries(VARIABLES).map(([name, [takes, schema]]) => {
      const text = isSet(env[name]) ? env[name] : undefined;
      const parsed = schema.safeParse(text);
      if (!parsed.success) throw new ConfigError(`${name} must be ${takes}; it is set to something else.`);
      return [name, parsed.data];
    }),
  ) as Values;
  const database = databaseOf(values, env);
  return {
    listen: { host: values.HOST, port: values.PORT },
    baseUrl: (values.PUBLIC_BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/$/, ''),
    patience: { keepAliveMs: values.KEEP_ALIVE_SECONDS * 1000 },
    roles: new Set(values.ROLES),
    database,
    redisUrl: values.REDIS_URL ?? null,
    secretKeys: values.SECRET_KEYS ?? storedKeyRing(database, storesKeys),
    demo: values.DEMO,
    webhooks: {
      allowCidrs: values.WEBHOOK_ALLOW_CIDRS,
      allowHttp: values.WEBHOOK_ALLOW_HTTP,
      proxyUrl: values.WEBHOOK_PROXY_URL ?? null,
    },
    proxyHops: values.TRUSTED_PROXY_HOPS,
    projectCreators: values.PROJECT_CREATORS,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    logLevel: values.LOG_LEVEL,
    slowStatementMs: values.SLOW_STATEMENT_MS,
    readLimitMs: values.READ_LIMIT_MS,
    metrics: { token: values.METRICS_TOKEN ?? null, port: values.METRICS_PORT ?? null },
    traces: { url: tracesUrl(values.OTEL_EXPORTER_OTLP_ENDPOINT), share: values.OTEL_TRACES_SAMPLER_ARG },
  };
}

/** The variable names the collector, following the OpenTelemetry convention; traces have a path of their own there. */
const tracesUrl = (endpoint: string | undefined): string | null =>
  endpoint === undefined ? null : `${endpoint.replace(/\/$/, '')}/v1/traces`;

function databaseOf(values: Values, env: NodeJS.ProcessEnv): Config['database'] {
  if (values.DATABASE_URL !== undefined) {
    const libpq = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('PG')));
    return { kind: 'postgres', url: values.DATABASE_URL, poolSize: 20, libpq };
  }
  return { kind: 'embedded', folder: resolve(values.DATA_DIR) };
}

/**
 * Reads the key ring next to the embedded database. Without one it makes one: stored for the service, for this process alone without
 * `storesKeys`. With DATABASE_URL the operator must give one.
 */
function storedKeyRing(database: Config['database'], storesKeys: boolean): string {
  if (database.kind === 'postgres') {
    throw new ConfigError(
      'SECRET_KEYS is required with DATABASE_URL: set it to kid:base64 of 32 random bytes (openssl rand -base64 32), the same for every process.',
    );
  }
  const { folder } = database;
  try {
    const path = join(folder, 'secret-keys');
    if (existsSync(path)) return readFileSync(path, 'utf8').trim();
    return storesKeys ? createKeyRing(path) : newKeyRing();
  } catch (error) {
    const fault = error instanceof Error ? error.message : '';
    throw new ConfigError(
      `DATA_DIR must be a folder that this process can read and write; ${folder} is not (${fault}).`,
    );
  }
}

const newKeyRing = (): string => `k1:${randomBytes(32).toString('base64')}`;

function createKeyRing(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  try {
    // On disk before anything is encrypted with it.
    writeFileSync(draft, `${newKeyRing()}\n`, { mode: 0o600, flush: true });
    publish(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}

/** Atomic and once: of two concurrent starts, both read what the first has written. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** The warning at start and in the log for a URL at which nobody can sign in (S15). */
export const PLAIN_HTTP =
  'PUBLIC_BASE_URL is neither https nor localhost: browsers keep no session there and wallets refuse to sign, so nobody can sign in';

/** True for `http://` with any host but localhost and the loopback addresses. */
export function isPlainHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
