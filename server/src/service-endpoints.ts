// The endpoints that this process listens on and depends on, for the webhook guard of all processes (W7).
import type { Database } from './db/database.ts';
import type { Connection } from './db/connection/database-url.ts';
import type { Signals } from './db/connection/signals.ts';
import { createOwnEndpoints, type OwnEndpoint, type OwnEndpoints } from './delivery/guard/own-endpoints.ts';

export interface ServiceEndpoints {
  endpoints: OwnEndpoints;
  /** A server of this process listens on this port. */
  listensOn(port: number): Promise<void>;
}

/** The parts of the configuration that name endpoints. */
interface Configured {
  listen: { host: string; port: number };
  metrics: { port: number | null };
  baseUrl: string;
  redisUrl: string | null;
  traces: { url: string | null };
  webhooks: { proxyUrl: string | null };
}

/** The endpoints of a starting process. */
export function serviceEndpoints(
  config: Configured,
  { connection, db, signals }: { connection: Connection; db: Database; signals: Signals },
): ServiceEndpoints {
  const { host } = config.listen;
  const endpoints = createOwnEndpoints(configured(config, connection), { peers: () => otherProcesses(db) });
  const ports = new Set<number>();
  return {
    endpoints,
    listensOn: (port) => {
      ports.add(port);
      endpoints.add({ host, port });
      return signals.announce([SESSION_NAME, ...ports].join(' '));
    },
  };
}

/** Everything that the configuration names; a port of 0 becomes known when the server listens. */
function configured(config: Configured, connection: Connection): OwnEndpoint[] {
  const { listen, metrics, redisUrl, baseUrl, traces, webhooks } = config;
  const front = { ...endpointOf(baseUrl), isFront: true };
  const ports = [listen.port, metrics.port ?? 0].map((port) => ({ host: listen.host, port }));
  const others = [redisUrl, traces.url, webhooks.proxyUrl].flatMap((url) => (url === null ? [] : [endpointOf(url)]));
  return [front, ...ports, ...others, ...databaseAt(connection)].filter(({ port }) => port !== 0);
}

const USUAL_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'redis:': 6379, 'rediss:': 6379 };

function endpointOf(url: string): OwnEndpoint {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: Number(port) || (USUAL_PORTS[protocol] ?? 0) };
}

/** None for a Unix socket, which no webhook can reach. */
function databaseAt({ host, port }: Connection): OwnEndpoint[] {
  return host.startsWith('/') ? [] : [{ host, port }];
}

/** The session name of a process that listens for notifications, followed by its ports. */
const SESSION_NAME = 'countersign';

/**
 * Every process that shares the database, by the addresses that PostgreSQL sees: a role sees its own sessions only. A
 * process behind a pooler is not found.
 */
async function otherProcesses(db: Database): Promise<OwnEndpoint[]> {
  const sessions = await db.read((em) =>
    em.execute<{ host: string; name: string }[]>(
      `select distinct coalesce(host(client_addr), '127.0.0.1') as host, application_name as name from pg_stat_activity
       where datname = current_database() and usename = current_user and application_name like '${SESSION_NAME} %'`,
    ),
  );
  return sessions.flatMap(({ host, name }) =>
    name
      .split(' ')
      .slice(1)
      .map((port) => ({ host, port: Number(port) })),
  );
}
