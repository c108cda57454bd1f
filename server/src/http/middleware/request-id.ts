// Sets a request ID on every response, and writes one log line per request without payloads.
import type { Middleware } from 'koa';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { logPath } from './log-path.ts';

export function requestId(log: Logger): Middleware {
  return async (ctx, next) => {
    const sent = ctx.get('x-request-id');
    const id = /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : randomUUID();
    ctx.state.requestId = id;
    ctx.set('x-request-id', id);
    const started = performance.now();
    await next();
    const ms = Math.round(performance.now() - started);
    log.debug({ request_id: id, method: ctx.method, path: logPath(ctx.path), status: ctx.status, ms }, 'request');
  };
}
