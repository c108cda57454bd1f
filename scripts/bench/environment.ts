// The environment of the benches: PostgreSQL with fsync, Redis, the service as `npm start` runs it, and its users.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { join } from 'node:path';
import type pg from 'pg';
import { createProject, createApiKey } from '../../shared/src/routes/projects.ts';
import type { ProjectSettings } from '../../shared/src/settings.ts';
import { bundleServer } from '../lib/processes/server-bundle.ts';
import { EXIT_WITH_PARENT, whenReady } from '../lib/processes/service-process.ts';
import { freePort } from '../../server/src/embedded/address.ts';
import { startPostgres, startRedis, type Service } from '../lib/processes/services.ts';
import { connectTo, poolTo } from '../lib/processes/postgres-client.ts';

const READY_MS = 60_000;
const MAIN = join(import.meta.dirname, '../../server/src/main.ts');
/** The Node options of `npm start`, and the folder of its compile cache. */
const { start: START } = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { scripts: { start: string } }
).scripts;
const NODE_OPTIONS = START.match(/--\S+/g) ?? [];
const CODE_CACHE = /NODE_COMPILE_CACHE=(\S+)/.exec(START)?.[1];

/** A person who is signed in. */
export interface Visitor {
  id: string;
  cookie: string;
}

export interface BenchServer {
  url: string;
  child: ChildProcess;
  /** The resident memory of the process in MiB, NaN where the system does not report it. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

export interface BenchDatabase {
  url: string;
  sql: <T>(text: string, params?: unknown[]) => Promise<T[]>;
}

export interface BenchEnvironment {
  redisUrl: string;
  /** A new, empty database on the one PostgreSQL server. */
  createDatabase(name: string): Promise<BenchDatabase>;
  /** Starts a program (the service, unless another is named) on a database; resolves when it says that it is ready. */
  startServer(
    database: BenchDatabase,
    options?: { program?: string; env?: Record<string, string> },
  ): Promise<BenchServer>;
  close(): Promise<void>;
}

/** Throws when Redis is not installed. */
export async function openBenchEnvironment(): Promise<BenchEnvironment> {
  await bundleServer();
  const postgres = await startPostgres();
  const redis = await startRedis();
  if (redis === undefined) {
    await postgres.stop();
    throw new Error('No Redis: `apt-get install redis-server` (its service need not run).');
  }
  return assemble(postgres, redis);
}

function assemble(postgres: Service, redis: Service): BenchEnvironment {
  const servers: BenchServer[] = [];
  const pools: pg.Pool[] = [];
  return {
    redisUrl: redis.url,
    createDatabase: async (name) => {
      const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
      const client = await connectTo(postgres.url);
      try {
        await client.query(`create database ${name}`);
      } finally {
        await client.end();
      }
      const pool = await poolTo(url, 2);
      // The server may end before its idle connections do: the bench is over then, without a failure.
      pool.on('error', () => undefined);
      pools.push(pool);
      return {
        url,
        sql: async <T>(text: string, params: unknown[] = []) => (await pool.query(text, params)).rows as T[],
      };
    },
    startServer: async (database, { program, env = {} } = {}) => {
      const server = await startServer({ DATABASE_URL: database.url, REDIS_URL: redis.url, ...env }, program);
      servers.push(server);
      return server;
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await Promise.all(pools.map((pool) => pool.end()));
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

/** Starts a program (the service, unless another is named) as `npm start` does; resolves when it says that it is ready. */
export async function startServer(env: Record<string, string>, program = MAIN): Promise<BenchServer> {
  const port = env.PORT ?? String(await freePort());
  const url = `http://localhost:${port}`;
  const child = spawn(process.execPath, [...NODE_OPTIONS, '--import', EXIT_WITH_PARENT, program], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: CODE_CACHE,
      PORT: port,
      PUBLIC_BASE_URL: url,
      SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      RATE_LIMIT_PER_MINUTE: '10000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = once(child, 'close');
  const stop = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  await whenReady(child, { within: READY_MS }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, child, memory: () => residentMiB(child.pid), stop };
}

async function residentMiB(pid: number | undefined): Promise<number> {
  const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  ps.once('error', () => undefined);
  let text = '';
  for await (const chunk of ps.stdout) text += String(chunk);
  return text.trim() === '' ? NaN : Number(text) / 1024;
}

/** Signs this many people in without the sign-in route, which is not measured here. */
export async function signInMany({ sql }: BenchDatabase, count: number): Promise<Visitor[]> {
  const people = Array.from({ length: count }, () => ({
    id: randomUUID(),
    address: randomBytes(24).toString('hex'),
    session: randomUUID(),
    secret: randomBytes(32).toString('base64url'),
  }));
  await sql(
    `insert into app_user (id, address, name, created_at)
     select u.id, u.address, 'Reviewer ' || u.n, now() from unnest($1::uuid[], $2::text[]) with ordinality as u (id, address, n)`,
    [people.map(({ id }) => id), people.map(({ address }) => address)],
  );
  await sql(
    `insert into session (id, user_id, secret_hash, created_at, last_seen_at, expires_at)
     select s.id, s.user_id, s.hash, now(), now(), now() + interval '10 hours' from unnest($1::uuid[], $2::uuid[], $3::text[]) as s (id, user_id, hash)`,
    [people.map(({ session }) => session), people.map(({ id }) => id), people.map(({ secret }) => sha256(secret))],
  );
  return people.map(({ id, session, secret }) => ({ id, cookie: `__Host-sid=${session}.${secret}` }));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export interface BenchProject {
  id: string;
  apiKey: string;
  owner: Visitor;
}

/** A project with these members, made by its owner as a page would make it. */
export async function openProject(
  at: { server: BenchServer; database: BenchDatabase },
  { members, settings = {} }: { members: Visitor[]; settings?: Partial<ProjectSettings> },
): Promise<BenchProject> {
  const [owner] = await signInMany(at.database, 1);
  if (owner === undefined) throw new Error('Somebody was signed in.');
  const ask = asker(at.server, owner);
  const { id } = await ask<{ id: string }>('POST', createProject.path, { name: 'Bench', ...settings });
  const { api_key: apiKey } = await ask<{ api_key: string }>('POST', createApiKey.path.replace(':id', id), {
    name: 'Bench',
  });
  await at.database.sql(
    `insert into member (project_id, user_id, role, created_at, guidelines_seen)
     select $1, u.id, 'reviewer', now(), 1 from unnest($2::uuid[]) as u (id)`,
    [id, members.map((member) => member.id)],
  );
  return { id, apiKey, owner };
}

/** Sends a request as this person's page does. Returns the JSON of the response; throws on a refusal, with its text. */
export function asker(server: BenchServer, visitor: Visitor) {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(server.url + path, {
      method,
      headers: { origin: server.url, cookie: visitor.cookie, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was refused with ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** A request with a body of JSON text, by a person or with an API key. */
interface FastRequest {
  method: string;
  path: string;
  visitor?: Visitor;
  apiKey?: string;
  body?: string;
}

/**
 * The text of the answer to one request over a keep-alive connection, with a minimal client: it shares the machine with the server.
 * Throws on any other status than 2xx.
 */
export function askFast(
  { agent, server }: { agent: Agent; server: Pick<BenchServer, 'url'> },
  { method, path, visitor, apiKey, body = '' }: FastRequest,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(visitor === undefined ? {} : { origin: server.url, cookie: visitor.cookie }),
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  };
  const sent = request(server.url + path, { method, agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.once('end', () =>
      Math.floor((response.statusCode ?? 0) / 100) === 2
        ? resolve(text)
        : reject(new Error(`${method} ${path} was answered with ${response.statusCode}: ${text}`)),
    );
  });
  sent.once('error', reject).end(body);
  return promise;
}

/** This many items, the newest `waiting` of them undecided, one every `intervalMs` (default: 100) until `agoMs` before now. */
export interface Seed {
  all: number;
  waiting: number;
  intervalMs?: number;
  agoMs?: number;
}

/** A statement for an id like the service's, in order of time, as of the moment `at`. */
export const idAt = (at: string): string => `
  overlay(gen_random_uuid()::text placing
    regexp_replace(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0'), '(.{8})', '\\1-') || '-7' from 1 for 15)::uuid`;

/** Items like the demo's, inserted past the intake. */
export async function seedItems(
  { sql }: BenchDatabase,
  projectId: string,
  { all, waiting, intervalMs = 100, agoMs = 0 }: Seed,
): Promise<void> {
  await sql(
    `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, model, source, rule, auto_threshold,
       review_threshold, matched_flags, settings_version, version, created_at, due_at, decided_at)
     select ${idAt('at')}, $1, case when n > $2::int - $3::int then 'queued' else 'approved' end,
       '{"question":"Question ' || n || ': may the parcel be returned?"}', '"Yes, within 30 days."', 0.8, '{}',
       'Question ' || n || ': may the parcel be returned?', 'gpt-' || n % 3, 'mail', 'RT4', 0.95, 0.7, '{}', 1, 1,
       at, at + interval '1 hour', case when n > $2::int - $3::int then null else at + interval '1 minute' end
     from generate_series(1, $2::int) as n, lateral (select now() - (($2::int - n) * $4::float8 + $5::float8) * interval '1 millisecond' as at) as t`,
    [projectId, all, waiting, intervalMs, agoMs],
  );
  await sql('vacuum (analyze) item');
}
