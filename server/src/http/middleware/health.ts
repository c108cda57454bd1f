// `/healthz`: the process responds. `/readyz`: it accepts requests, and its database responds; reports the lock store.
import { setTimeout as delay } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';

/** A process accepts new work only while it is `serving`. */
export type Phase = 'starting' | 'serving' | 'stopping';

export interface Probes {
  database(): Promise<boolean>;
  lockStore(): Promise<boolean>;
  phase(): Phase;
}

/** Time limit of a probe, in milliseconds: a frozen store is not ready either. */
const PROBE_MS = 2000;

const withTimeout = (probe: Promise<boolean>): Promise<boolean> =>
  Promise.race([probe, delay(PROBE_MS, false, { ref: false })]);

/** Callers during a probe share its result, so that they cannot load the stores. */
function coalesced(probe: () => Promise<boolean>): () => Promise<boolean> {
  let inFlight: Promise<boolean> | null = null;
  return () => (inFlight ??= withTimeout(probe()).finally(() => (inFlight = null)));
}

export function health(probes: Probes): Middleware {
  const probe = { database: coalesced(() => probes.database()), lockStore: coalesced(() => probes.lockStore()) };
  return async (ctx, next) => {
    if (ctx.path === '/healthz') {
      sendJson(ctx, { status: 'ok' });
    } else if (ctx.path === '/readyz') {
      const [database, lockStore] = await Promise.all([probe.database(), probe.lockStore()]);
      // Read after the probes: a stop may have begun meanwhile.
      const status = statusOf(probes.phase(), { database, lockStore });
      ctx.status = READY.has(status) ? 200 : 503;
      sendJson(ctx, { status, database, lock_store: lockStore });
    } else {
      await next();
      return;
    }
    ctx.set('cache-control', 'no-store');
  };
}

type Status = Exclude<Phase, 'serving'> | 'ok' | 'degraded' | 'unavailable';

/** Without the lock store, claims rely on the fence alone: degraded, but ready. */
const READY: ReadonlySet<Status> = new Set(['ok', 'degraded']);

function statusOf(phase: Phase, { database, lockStore }: { database: boolean; lockStore: boolean }): Status {
  if (phase !== 'serving') return phase;
  if (!database) return 'unavailable';
  return lockStore ? 'ok' : 'degraded';
}

/** Serializes here: for an object, Koa would load Node's own `fetch`, which the service does not use. */
function sendJson(ctx: Context, body: object): void {
  ctx.type = 'json';
  ctx.body = JSON.stringify(body);
}
