// Authenticates callers before the body is read, and again if that took long; one implementation per kind of caller.
import type { Context } from 'koa';
import type { z } from 'zod';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { checkApiKey, refuseScope } from '../../usecases/credentials/check-api-key.ts';
import type { KnownKey, MemberActor, Services } from '../../usecases/services.ts';
import { checkSession, requireSession } from '../../usecases/credentials/sessions.ts';
import { SESSION_COOKIE } from './cookies.ts';
import { refuseForeignOrigin, refuseOtherOrigin } from './origin.ts';
import { bearerOf } from '../request/bearer.ts';
import { parsePath } from '../request/parse-fields.ts';
import { limitAddress, limitKey, limitOpen, limitPerson } from './rate-limit.ts';
import { nameCaller } from '../middleware/security-events.ts';
import { traceparentOf } from '../request/traceparent.ts';

export interface Caller<A> {
  /** Authenticates the caller, and refuses those without access or over their rate limit. */
  identify(ctx: Context): Promise<A>;
  /** Called when the body has arrived, which may have taken a while. */
  recheck(ctx: Context): Promise<void>;
}

/** By kind of caller. */
export function callers(services: Services) {
  const recheck = () => Promise.resolve();
  const anyone = (endpoint: Pick<Endpoint, 'path'>): Caller<null> => ({
    recheck,
    identify: async (ctx) => {
      refuseForeignOrigin(ctx, services.baseUrl);
      await limitOpen(services, ctx, endpoint);
      return null;
    },
  });
  const member = (endpoint: Pick<Endpoint, 'method' | 'path'>): Caller<MemberActor> => ({
    recheck: (ctx) => recheckSession(services, ctx),
    identify: async (ctx) => {
      refuseForeignOrigin(ctx, services.baseUrl);
      const onUnknown = () => limitAddress(services, ctx, 'unknown-session');
      const actor = await checkSession(services, ctx.cookies.get(SESSION_COOKIE), onUnknown);
      if (actor === null) throw new Refusal('session_missing', 'Sign in with your wallet.');
      ctx.state.identifiedAt = performance.now();
      await limitPerson(services, ctx, { ...endpoint, userId: actor.userId });
      return actor;
    },
  });
  const pipeline = ({ auth, scope }: Pick<Endpoint, 'auth' | 'scope'>): Caller<KnownKey> => ({
    recheck: (ctx) => recheckKey(services, ctx),
    identify: async (ctx) => {
      const onUnknown = () => limitAddress(services, ctx, 'unknown-key');
      if (auth === 'bearer') refuseOtherOrigin(ctx, services.baseUrl);
      ctx.state.apiKey = header(ctx, 'x-api-key') ?? (auth === 'bearer' ? bearerOf(ctx) : undefined);
      ctx.state.takesBearer = auth === 'bearer';
      const actor = await checkKeyOf(services, ctx, onUnknown);
      await limitKey(services, ctx, actor);
      nameCaller(ctx, actor);
      refuseScope(actor, scope);
      ctx.state.identifiedAt = performance.now();
      return actor;
    },
  });
  return { anyone, member, pipeline };
}

/** A sender with a signature: `limit` counts the request before the body is read. */
export const signer = <P>(
  params: z.ZodType<P> | null,
  limit: (ctx: Context, params: P) => Promise<void>,
): Caller<null> => ({
  recheck: () => Promise.resolve(),
  identify: async (ctx) => {
    await limit(ctx, parsePath(params, ctx.params as Record<string, string>));
    return null;
  },
});

/** A request faster than this, in milliseconds, skips the second check of its key or session. */
const RECHECK_MS = 1000;
const tookLong = (ctx: Context) => performance.now() - (ctx.state.identifiedAt as number) >= RECHECK_MS;

/** The session after a slow body: covers work outside any transaction as well (A21). */
async function recheckSession(services: Services, ctx: Context): Promise<void> {
  if (tookLong(ctx)) await requireSession(services, ctx.cookies.get(SESSION_COOKIE));
}

/**
 * A key that was valid when the request began may be revoked by the time its body, or its response, is ready (K4); a
 * request that `waited` may have been woken by the revocation. Errors: `api_key_invalid`.
 */
export async function recheckKey(services: Services, ctx: Context, waited = false): Promise<void> {
  if (!waited && !tookLong(ctx)) return;
  await checkKeyOf(services, ctx);
}

/** Errors: `api_key_missing`, `api_key_invalid`, and what `onUnknown` throws. */
async function checkKeyOf(services: Services, ctx: Context, onUnknown?: () => Promise<void>): Promise<KnownKey> {
  // RFC 6750, section 3: a refusal says that a bearer token is accepted.
  if (ctx.state.takesBearer === true) ctx.set('www-authenticate', 'Bearer');
  const key = await checkApiKey(services, ctx.state.apiKey as string | undefined, onUnknown);
  ctx.remove('www-authenticate');
  return key;
}

/** A header that was sent once; a repeated one (Node joins the values with a comma) is left to its parser to refuse. */
export function header(ctx: Context, name: string): string | undefined {
  const value = ctx.req.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The trace context of a submission (WH9): null without a valid one. */
export const traceOf = (ctx: Context): { traceparent: string | null } => ({
  traceparent: traceparentOf(header(ctx, 'traceparent')),
});
