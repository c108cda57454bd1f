// Serves `/metrics` for Prometheus, and records every request for it.
import { createHash, timingSafeEqual } from 'node:crypto';
import Koa, { type Context, type Middleware } from 'koa';
import { Refusal } from '@countersign/shared/errors';
import type { Logger } from 'pino';
import { withSeenItem } from '../../usecases/access/seen-item.ts';
import { health, type Probes } from './health.ts';
import { problems } from '../response/problem.ts';
import { bearerOf } from '../request/bearer.ts';
import { requestId } from './request-id.ts';

/** An answered request; `itemId` is the item that it created, or names and its caller may see. */
interface RequestObservation {
  method: string;
  route: string;
  status: number;
  seconds: number;
  requestId: string;
  itemId: string | null;
}

/** The parts of the metrics that HTTP needs (`server/src/telemetry/telemetry.ts`). */
export interface MetricsSource {
  page: () => Promise<{ type: string; text: string }>;
  request: (observed: RequestObservation) => void;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OPS_PATHS = new Set(['/healthz', '/readyz', '/metrics']);

/** Counts every response, including errors. Outermost middleware, so that errors already have a status. */
export function observeRequests({ request }: Pick<MetricsSource, 'request'>): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    const seen: { itemId?: string } = {};
    await withSeenItem(seen, next);
    const method = METHODS.has(ctx.method) ? ctx.method : 'other';
    const seconds = (performance.now() - startedAt) / 1000;
    const { requestId = '' } = ctx.state as { requestId?: string };
    const route = routeOf(ctx);
    request({ ...{ method, route, status: ctx.status, seconds, requestId }, itemId: seen.itemId ?? null });
  };
}

/** Uses one label per endpoint, so that unknown paths add no labels. */
function routeOf(ctx: Context): string {
  const { _matchedRoute: matched } = ctx as { _matchedRoute?: unknown };
  if (typeof matched === 'string') return matched;
  return OPS_PATHS.has(ctx.path) ? ctx.path : 'other';
}

/**
 * The metrics page. `token` null: readable without authentication, on a port of its own. Errors: `api_key_missing`,
 * `api_key_invalid`.
 */
export function metricsPage({ page }: Pick<MetricsSource, 'page'>, token: string | null): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/metrics') {
      await next();
      return;
    }
    if (token !== null) refuseOthers(ctx, token);
    const { type, text } = await page();
    ctx.set('cache-control', 'no-store');
    ctx.type = type;
    ctx.body = text;
  };
}

/** Without a token, the public port has no metrics page. */
export const noMetrics: Middleware = async (ctx, next) => {
  if (ctx.path === '/metrics') throw new Refusal('not_found', NO_TOKEN);
  await next();
};

const NO_TOKEN = 'Set METRICS_TOKEN to read the metrics here, or METRICS_PORT to serve them on a separate port.';

function refuseOthers(ctx: Context, token: string): void {
  const sent = bearerOf(ctx);
  if (sent !== undefined && timingSafeEqual(digest(sent), digest(token))) return;
  ctx.set('www-authenticate', 'Bearer');
  if (sent === undefined) throw new Refusal('api_key_missing', 'Send the METRICS_TOKEN as Authorization: Bearer.');
  throw new Refusal('api_key_invalid', 'The token does not match METRICS_TOKEN.');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The app of METRICS_PORT: health and metrics only. For a worker, which has no other port. */
export function opsApp(
  log: Logger,
  { probes, source, token }: { probes: Probes; source: MetricsSource; token: string | null },
): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(requestId(log));
  app.use(problems(log));
  app.use(health(probes));
  app.use(metricsPage(source, token));
  return app;
}
