// Starts the requested roles in order, and stops them in reverse order. service.ts calls it.
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { buildServices, type BuildOptions, type Built } from './build-services.ts';
import { ConfigError, readConfig, type Config, isPlainHttp, PLAIN_HTTP } from './config.ts';
import { REVOKED } from './db/connection/channels.ts';
import type { Signals } from './db/connection/signals.ts';
import { systemClock } from './db/clock.ts';
import { protectionOf } from './db/connection/connect.ts';
import { createApp } from './http/app.ts';
import { clientOfRequest } from './http/connection/client-address.ts';
import { limitConnections, MAX_CONNECTIONS, trackUpgraded } from './http/connection/connections.ts';
import type { Phase } from './http/middleware/health.ts';
import { loadSite } from './http/middleware/pages.ts';
import { createMemoryLimiter } from './limits/memory-limiter.ts';
import { policiesOf } from './limits/policies.ts';
import { createHttpServer, listen } from './http/connection/server.ts';
import { keyFaultOf } from './key-fault.ts';
import { type Ops, probesOf, processTelemetry, startOpsServer } from './ops-server.ts';
import { createAdmission } from './realtime/connection/admission.ts';
import { type Guard, guardConnections } from './realtime/connection/connection-guard.ts';
import {
  createAssignment,
  PROBE_MS,
  notifyOffers,
  handleOperatorRevocations,
  createMetrics,
  METRICS_MS,
} from './realtime/page-notifications.ts';
import { createLiveServer, openGateway, SESSION_CHECK_MS, sweepSessions } from './realtime/gateway.ts';
import { HEARTBEAT_MS, redisLink } from './realtime/presence/presence-sync.ts';
import { createPresence, PRESENCE_MS } from './realtime/presence/presence.ts';
import { createRooms, sessionRoom, type LiveServer, type Rooms } from './realtime/rooms.ts';
import { SLICE_GAP_MS } from './realtime/slices.ts';
import { createTail, FRAME_MS } from './realtime/tail.ts';
import { watchMemory, watchSockets } from './telemetry/gauges.ts';
import { openTraces } from './telemetry/traces.ts';
import type { Services } from './usecases/services.ts';
import { startWaiterLoop } from './wake-waiters.ts';
import { startLoop } from './worker/loop.ts';
import { startWorker } from './worker/start-worker.ts';

export interface Running {
  /** The URL of the service. */
  url: string;
  services: Services;
  signals: Signals;
  /** Accepts no new work, finishes what is in progress, closes everything. */
  stop(): Promise<void>;
}

type Stop = () => Promise<void>;

/** How long a stop may take before open connections are cut, in milliseconds. */
const DRAIN_MS = 10_000;
/** How long a socket has for the closing handshake, in milliseconds: a suspended laptop never responds. */
const GOODBYE_MS = 1000;
/** The interval at which a stopping server closes idle connections, in milliseconds. */
const SWEEP_IDLE_MS = 100;
const POLL_MS = 1000;
/** The interval at which rooms are compared with the database, in milliseconds: covers a lost notification. */
const ROOMS_CHECK_MS = 60_000;

export interface StartOptions extends BuildOptions {
  /** Resolves when the web app is built; a rejection ends the start. */
  pagesBuilt?: Promise<unknown>;
  /** The loops of the worker start when it resolves; immediately by default. */
  workAfter?: Promise<unknown>;
  /** Called when the database is available: the web app may not be built yet. */
  onDatabase?: (opened: Pick<Running, 'services' | 'signals'>) => void;
}

/**
 * Starts a process from its environment. Errors: `ConfigError`, `FolderInUse`, `EmbeddedError`, or those of the
 * database.
 */
export const start = (env?: NodeJS.ProcessEnv, options?: StartOptions): Promise<Running> =>
  startWith(readConfig(env), options);

/** The same with a configuration that was read before. */
export async function startWith(
  config: Config,
  { pagesBuilt = Promise.resolve(), workAfter, onDatabase, ...options }: StartOptions = {},
): Promise<Running> {
  // Its failure is handled below, when the database is available.
  pagesBuilt.catch(() => undefined);
  const built = await buildServices(config, options);
  const state: { phase: Phase } = { phase: 'starting' };
  const stops: Stop[] = [() => built.close()];
  const stop = async () => {
    state.phase = 'stopping';
    for (const close of stops.splice(0).reverse()) await close();
  };
  try {
    const fault = await keyFaultOf(built.services);
    if (fault !== null) throw new ConfigError(fault);
    tellEncryption(built);
    const traces = await openTraces(config.traces);
    if (traces) stops.push(() => traces.stop());
    const telemetry = processTelemetry(built, traces);
    const ops = { telemetry, probes: probesOf(built.services, () => state.phase) };
    stops.push(await startOps(built, config, ops));
    if (config.roles.has('worker')) {
      const egress = { ...built.egress, onAttempt: telemetry.attempt };
      const work = () => startWorker({ ...built, egress, onRun: telemetry.run, onEvents: telemetry.events });
      stops.push(await (workAfter === undefined ? work() : startLater(work, workAfter)));
    }
    onDatabase?.({ services: built.services, signals: built.signals });
    await pagesBuilt;
    const onServing = () => void (state.phase = 'serving');
    if (config.roles.has('web')) stops.push(await startWeb(built, config, { ...ops, onServing }));
    else {
      onServing();
      built.services.log.info('working');
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: config.baseUrl, services: built.services, signals: built.signals, stop };
}

/** Errors: `ConfigError` where METRICS_PORT is in use. */
async function startOps(built: Built, { listen: { host }, metrics, patience }: Config, ops: Ops): Promise<Stop> {
  try {
    return await startOpsServer(built, { host, ...metrics, patience }, ops);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ConfigError(`Port ${metrics.port} is in use: stop what uses it, or set METRICS_PORT to another.`);
  }
}

/** Starts something when `after` resolves, unless it was stopped before. Returns what stops it. */
function startLater(begin: () => Promise<Stop>, after: Promise<unknown>): Stop {
  const started: { begun: Promise<Stop> | null; stopped: boolean } = { begun: null, stopped: false };
  void after.then(() => {
    if (!started.stopped) started.begun = begin();
  });
  return async () => {
    started.stopped = true;
    await (
      await started.begun
    )?.();
  };
}

/** Logs once how the connections to PostgreSQL are protected (DB3). */
function tellEncryption({ encryption, services: { log } }: Built): void {
  if (encryption !== null) log.info(encryption, `connections to PostgreSQL are ${protectionOf(encryption)}`);
}

interface WebOps extends Ops {
  /** Called when PORT accepts requests. */
  onServing: () => void;
}

async function startWeb(built: Built, config: Config, { telemetry, probes, onServing }: WebOps): Promise<Stop> {
  const { services, redis } = built;
  services.security.subscribe(telemetry.security);
  const folder = fileURLToPath(new URL(config.demo ? '../../web/build-demo' : '../../web/build', import.meta.url));
  const app = createApp(services, {
    ...{ site: loadSite(folder), probes, proxyHops: config.proxyHops },
    metrics: { source: telemetry, token: config.metrics.token },
  });
  const handle = app.callback();
  const http = createHttpServer((request, response) => void handle(request, response), config.patience);
  limitConnectionsOf(http, config);
  const clientOf = (request: IncomingMessage) => clientOfRequest(request, config.proxyHops);
  const io = createLiveServer(http, { admit: createAdmission(services, { clientOf }), redis, log: services.log });
  watchSockets(telemetry, () => io.engine.clientsCount);
  watchMemory(telemetry, services.memory);
  services.kick = {
    session: (id) => {
      // Our own sockets immediately, regardless of the state of Redis; those of other processes through it.
      io.local.in(sessionRoom(id)).disconnectSockets(true);
      io.in(sessionRoom(id)).disconnectSockets(true);
    },
  };
  await built.signals.on(REVOKED, (keyId) => {
    services.keys.forget(keyId);
    services.waiters.releaseByKey(keyId);
  });
  const hangUp = trackUpgraded(http);
  const stopWaiting = await startWaiterLoop(built);
  const stopLive = await startLive(built, io, { clientOf, lockStore: () => probes.lockStore() });
  await listen(http, config.listen);
  const { port } = http.address() as AddressInfo;
  await built.listensOn(port);
  onServing();
  services.log.info({ port, url: config.baseUrl }, 'ready');
  if (isPlainHttp(config.baseUrl)) services.log.warn({ url: config.baseUrl }, PLAIN_HTTP);
  return () => stopWeb({ http, io, log: services.log, hangUp, stopLive, stopWaiting });
}

/** Behind a proxy, all connections come from the proxy: only their total number counts. */
function limitConnectionsOf(http: HttpServer, { proxyHops }: Config): void {
  if (proxyHops > 0) limitConnections(http, { ...MAX_CONNECTIONS, ofAddress: Infinity }, null);
  else limitConnections(http, MAX_CONNECTIONS, createMemoryLimiter(policiesOf(), systemClock));
}

interface Web {
  http: HttpServer;
  io: LiveServer;
  log: Services['log'];
  hangUp: () => void;
  stopLive: Stop;
  stopWaiting: Stop;
}

async function stopWeb({ http, io, log, hangUp, stopLive, stopWaiting }: Web): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve));
  // Our own sockets are disconnected immediately; requests in progress may finish.
  io.local.disconnectSockets(true);
  const goodbye = setTimeout(hangUp, GOODBYE_MS);
  const cut = setTimeout(() => {
    log.warn({ after_ms: DRAIN_MS }, 'open connections were cut');
    http.closeAllConnections();
  }, DRAIN_MS);
  http.closeIdleConnections();
  await stopWaiting();
  // A finished response leaves an idle connection behind.
  const sweeping = setInterval(() => http.closeIdleConnections(), SWEEP_IDLE_MS);
  await stopLive();
  await io.close();
  await closed;
  clearInterval(sweeping);
  clearTimeout(goodbye);
  clearTimeout(cut);
}

interface Live {
  clientOf: (request: IncomingMessage) => string;
  lockStore: () => Promise<boolean>;
}

async function startLive(built: Built, io: LiveServer, { clientOf, lockStore }: Live): Promise<Stop> {
  const { services, signals } = built;
  const { log } = services;
  const tail = createTail(services, io, () => rooms);
  const rooms: Rooms = createRooms(services, io, (projectId, seq) => {
    // The notification of events that were sequenced while the socket was joining reached nobody.
    tailing.wake();
    return tail.watch(projectId, seq);
  });
  const tailing = startLoop({ name: 'tail', run: () => tail.runOnce(), pollMs: POLL_MS, gapMs: FRAME_MS, log });
  const sweeping = startLoop({
    name: 'sessions',
    run: () => sweepSessions(services, io),
    pollMs: SESSION_CHECK_MS,
    log,
  });
  const run = () => rooms.syncMissed();
  const syncing = startLoop({ name: 'rooms', run, pollMs: ROOMS_CHECK_MS, log });
  signals.onReconnected(() => [syncing, sweeping].forEach((loop) => loop.wake()));
  await tail.listen(signals, () => tailing.wake());
  await notifyOffers(signals, io);
  await handleOperatorRevocations(services, { signals, io });
  const metrics = createMetrics(services, io, () => rooms);
  const ticking = startLoop({
    ...{ name: 'metrics', run: () => metrics.runOnce(), log },
    pollMs: POLL_MS,
    gapMs: { normal: METRICS_MS, high: SLICE_GAP_MS },
  });
  await metrics.listen(signals, () => ticking.wake());
  const guard = guardConnections(io);
  const stopPresence = startPresence(built, io, { rooms, guard });
  const assignment = createAssignment(io, lockStore);
  const probing = startLoop({ name: 'assignment', run: () => assignment.runOnce(), pollMs: PROBE_MS, log });
  openGateway(services, io, { rooms, clientOf, guard });
  return async () => {
    await Promise.all([...[tailing, syncing, ticking, sweeping, probing].map((loop) => loop.stop()), stopPresence()]);
  };
}

/** Shows members of a project who is online in it, in this process and the others. */
function startPresence({ services, redis }: Built, io: LiveServer, following: { rooms: Rooms; guard: Guard }): Stop {
  const { log } = services;
  const link = redis === null ? null : redisLink(io, redis.pub);
  const presence = createPresence(services, io, { ...following, link, wake: (urgency) => telling.wake(urgency) });
  const run = () => presence.runOnce();
  const gapMs = { normal: PRESENCE_MS, high: SLICE_GAP_MS };
  const telling = startLoop({ name: 'presence', run, pollMs: HEARTBEAT_MS, gapMs, log });
  return async () => {
    await telling.stop();
    presence.leave();
  };
}
