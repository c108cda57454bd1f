// Turns every failure into RFC 9457 problem+json: it says what to do and reveals nothing internal.
import type { Context, Middleware } from 'koa';
import { ERRORS, Refusal } from '@countersign/shared/errors';
import { jsonText } from '@countersign/shared/json/json';
import type { Problem } from '@countersign/shared/schemas/parts/problem';
import type { Logger } from 'pino';
import type { SecurityLog } from '../../usecases/credentials/security-log.ts';
import { logPath } from '../middleware/log-path.ts';
import { noteRefusal } from '../middleware/security-events.ts';

/**
 * Turns everything thrown below into a problem response, and an unanswered path into 404. `security` receives the
 * refusals (LG1).
 */
export function problems(log: Logger, security: SecurityLog | null = null): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      const refuse = UNANSWERED[ctx.status];
      if (refuse && !ctx.headerSent && !ctx.body) throw refuse(ctx);
    } catch (error) {
      const refusal = toRefusal(error, ctx, log);
      if (security !== null) noteRefusal(security, ctx, refusal);
      answer(ctx, refusal);
    }
  };
}

/** Responses that the router leaves without a body, by status. 501 is an unknown method. */
const UNANSWERED: Record<number, ((ctx: Context) => Refusal) | undefined> = {
  404: () => new Refusal('not_found', 'Check the URL: no page or endpoint has it.'),
  405: wrongMethod,
  501: wrongMethod,
};

function wrongMethod(ctx: Context): Refusal {
  return new Refusal('method_not_allowed', `Use one of: ${ctx.response.get('allow')}.`);
}

/** The error name that `db/database.ts` uses. */
const READ_TOO_LONG = 'ReadTooLong';

/** What a failure is answered with; an unexpected one is logged. */
export function toRefusal(error: unknown, ctx: Context, log: Logger): Refusal {
  if (error instanceof Refusal) {
    if (error.name === READ_TOO_LONG)
      log.warn({ request_id: ctx.state.requestId as string, path: logPath(ctx.path) }, 'database read timed out');
    return error;
  }
  log.error({ err: error, request_id: ctx.state.requestId as string, path: logPath(ctx.path) }, 'request failed');
  return new Refusal('internal', 'Internal error. Try again, or send the request ID to your operator.');
}

/** A refusal as RFC 9457 problem details, for its request. */
export function toProblem(refusal: Refusal, ctx: Pick<Context, 'path' | 'state'>): Problem {
  const { status, title } = ERRORS[refusal.code];
  const { retryAfter: _header, ...extras } = refusal.extras;
  return {
    type: `urn:countersign:error:${refusal.code}`,
    title,
    status,
    detail: refusal.detail,
    instance: ctx.path,
    code: refusal.code,
    request_id: ctx.state.requestId as string,
    ...extras,
  };
}

function answer(ctx: Context, refusal: Refusal): void {
  const body = toProblem(refusal, ctx);
  const { retryAfter } = refusal.extras;
  ctx.status = body.status;
  if (retryAfter !== undefined) ctx.set('retry-after', String(retryAfter));
  ctx.set('cache-control', 'no-store');
  // The decision of a refused withdrawal has its output as submitted (I7).
  ctx.body = jsonText(body);
  ctx.type = 'application/problem+json';
}
