// What operations tools read from a process: metrics, and the ops server on METRICS_PORT, which a worker has as well.
import type { AddressInfo } from 'node:net';
import type { Connections } from './db/connection/pool.ts';
import type { Phase, Probes } from './http/middleware/health.ts';
import { createHttpServer, listen, type HttpTimeouts } from './http/connection/server.ts';
import { opsApp } from './http/middleware/metrics.ts';
import { watchConnections, watchReads, watchBacklog } from './telemetry/gauges.ts';
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts';
import type { Traces } from './telemetry/steps.ts';
import type { Services } from './usecases/services.ts';

/** The metrics of a process and of the whole service, and the traces of the process. */
export function processTelemetry(
  { services, connections }: { services: Services; connections: () => Connections },
  traces: Traces | null = null,
): Telemetry {
  const telemetry = createTelemetry(traces);
  watchConnections(telemetry, connections);
  watchReads(telemetry, () => services.db.cutOff());
  watchBacklog(telemetry, services.db);
  return telemetry;
}

/** Checks that the stores respond. `phase` tells whether the process accepts requests. */
export const probesOf = ({ db, claims }: Services, phase: () => Phase): Probes => ({
  phase,
  database: () => answers(db.read((em) => em.execute('select 1'))),
  lockStore: () => answers(claims.holders(['00000000-0000-0000-0000-000000000000'])),
});

const answers = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

/** What the ports of a process report of it. */
export interface Ops {
  telemetry: Telemetry;
  probes: Probes;
}

export interface OpsPort {
  host: string;
  port: number | null;
  token: string | null;
  patience: Partial<HttpTimeouts>;
}

/** Listens on METRICS_PORT, if set. Returns a function that stops it. Errors: EADDRINUSE. */
export async function startOpsServer(
  { services, listensOn }: { services: Services; listensOn: (port: number) => Promise<void> },
  { host, port, token, patience }: OpsPort,
  { telemetry, probes }: Ops,
): Promise<() => Promise<void>> {
  if (port === null) return () => Promise.resolve();
  const handle = opsApp(services.log, { probes, source: telemetry, token }).callback();
  const http = createHttpServer((request, response) => void handle(request, response), patience);
  await listen(http, { host, port });
  const given = (http.address() as AddressInfo).port;
  await listensOn(given);
  services.log.info({ port: given }, 'health and metrics');
  return () => new Promise((resolve) => http.close(() => resolve()).closeAllConnections());
}
