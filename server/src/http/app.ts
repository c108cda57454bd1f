// The HTTP application: its middleware in the order in which a request passes through it.
import Router, { type RouterMiddleware } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import helmet from 'koa-helmet';
import type { Services } from '../usecases/services.ts';
import { health, type Probes } from './middleware/health.ts';
import { problems } from './response/problem.ts';
import { requestId } from './middleware/request-id.ts';
import { binder } from './route.ts';
import { type MetricsSource, metricsPage, noMetrics, observeRequests } from './middleware/metrics.ts';
import { bindAlerts, bindDeliveries, bindWebhook } from './routes/webhook.ts';
import { bindChanges, bindLifecycle, bindProjects, bindGuidelines, bindTeam } from './routes/projects.ts';
import { bindInbound } from './routes/inbound.ts';
import { bindAnalytics } from './routes/analytics.ts';
import { bindLearnings } from './routes/learnings.ts';
import { bindOpenApi, bindPublic } from './routes/public.ts';
import { bindMcp } from './routes/mcp.ts';
import { bindPool } from './routes/pool.ts';
import { bindQueue } from './routes/queue.ts';
import { bindRegressions } from './routes/regressions.ts';
import { bindSession } from './routes/session.ts';
import { pages, type Site } from './middleware/pages.ts';
import { EXPECTED, type Memory } from '../limits/memory-limits.ts';
import { ownerOf, holdUntilSent } from './admission/memory-reservation.ts';
import { limitAddress } from './admission/rate-limit.ts';

export interface AppOptions {
  /** The built web app, or null when it has not been built. */
  site: Site | null;
  probes: Probes;
  /** How many proxies in front are trusted to report the client address (TRUSTED_PROXY_HOPS). */
  proxyHops: number;
  /** The metrics of this process, and the token that allows reading them here; without a token they are not served. */
  metrics: { source: MetricsSource; token: string | null };
}

export function createApp(services: Services, { site, probes, proxyHops, metrics }: AppOptions): Koa {
  const app = new Koa({ proxy: proxyHops > 0, maxIpsCount: proxyHops });
  app.silent = true;
  app.use(observeRequests(metrics.source));
  app.use(requestId(services.log));
  app.use(problems(services.log, services.security));
  app.use(securityHeaders(services.baseUrl, site?.scriptHashes ?? []));
  app.use(health(probes));
  app.use(metrics.token === null ? noMetrics : metricsPage(metrics.source, metrics.token));
  // A client is waiting for every read from here on (DB1).
  app.use((_ctx, next) => services.db.withReadLimit(next));
  const router = bindRoutes(services);
  app.use(routesOf(router));
  app.use(anonymous(services));
  app.use(router.allowedMethods());
  app.use(pages(site));
  return app;
}

/**
 * The routes of the router. Where a path also matches the pattern of another endpoint, only its own endpoints count:
 * `GET /items/batch` is refused with 405, although `GET /items/:id` matches it.
 */
function routesOf(router: Router): RouterMiddleware {
  const handle = router.routes();
  const byPath = [...Map.groupBy(router.stack, ({ path }) => path).values()];
  // Those whose path matches the pattern of another endpoint, too.
  const ambiguous = byPath.filter(([{ path = '' } = {}]) => {
    const address = String(path).replaceAll(/:\w+/g, 'x');
    return router.stack.some((layer) => layer.path !== path && layer.match(address));
  });
  return async (ctx, next) => {
    const layers = ambiguous.find(([layer]) => layer?.match(ctx.path));
    if (layers === undefined || layers.some(({ methods }) => methods.includes(ctx.method))) {
      await handle(ctx, next);
      return;
    }
    // What `allowedMethods` reads.
    ctx.matched = layers;
    await next();
  };
}

/** Every endpoint of the contract that this server implements. */
export function bindRoutes(services: Services): Router {
  const router = new Router({ strict: true });
  const bind = binder(router, services);
  bindPublic(bind, services);
  bindMcp(bind, services);
  bindInbound(bind, services);
  bindOpenApi(bind, services);
  bindSession(bind, services);
  bindProjects(bind, services);
  bindWebhook(bind, services);
  bindPool(bind, services);
  bindLifecycle(bind, services);
  bindGuidelines(bind, services);
  bindChanges(bind, services);
  bindQueue(bind, services);
  bindLearnings(bind, services);
  bindAnalytics(bind, services);
  bindRegressions(bind, services);
  bindTeam(bind, services);
  bindDeliveries(bind, services);
  bindAlerts(bind, services);
  return router;
}

/** Counts requests by address: their rate, and responses that are not read. Errors: `rate_limited`, `unavailable`. */
export function anonymous(services: Pick<Services, 'limiter'> & { memory: Pick<Memory, 'anonymous'> }): Middleware {
  const { anonymous: budget } = services.memory;
  return async (ctx, next) => {
    await limitAddress(services, ctx, 'anonymous');
    const reservation = await budget.enter(ownerOf(ctx, null), EXPECTED.small, ctx.res);
    try {
      await next();
    } finally {
      holdUntilSent(ctx, reservation);
    }
  };
}

/** `scriptHashes` are the base64 SHA-256 hashes of the inline scripts of the built page. */
function securityHeaders(baseUrl: string, scriptHashes: readonly string[]): Middleware {
  const { protocol, host } = new URL(baseUrl);
  const secure = protocol === 'https:';
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        // Sound and video that a submission embeds.
        mediaSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", `${secure ? 'wss' : 'ws'}://${host}`],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: secure ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    originAgentCluster: false,
  });
}
