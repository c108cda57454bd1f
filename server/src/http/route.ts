// Binds an endpoint of the contract to a handler: who asks, what they ask, the answer. Nothing else knows both sides.
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { LIMITS } from '@countersign/shared/api/public';
import { Refusal, type FieldError } from '@countersign/shared/errors';
import { jsonText } from '@countersign/shared/json';
import { checkApiKey } from '../usecases/check-api-key.ts';
import type { ApiKeyActor, MemberActor, Services } from '../usecases/services.ts';
import { findSession } from '../usecases/sessions.ts';
import { SESSION_COOKIE } from './cookies.ts';
import { parseBody } from './i-json.ts';
import { refuseForeignOrigin } from './origin.ts';
import { readBody } from './read-body.ts';

export interface Call<P, Q, B, A> {
  params: P;
  query: Q;
  body: B;
  /** The raw text of each member of the body, and its bytes. */
  raw: Map<string, string>;
  bytes: Buffer | null;
  actor: A;
  ctx: Context;
}

type Handler<P, Q, B, R, A> = (call: Call<P, Q, B, A>) => Promise<R>;

/** Binders that know the services. One per kind of caller, so that a handler's actor has the right type. */
export interface Binder {
  open<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, handler: Handler<P, Q, B, R, null>): void;
  member<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, handler: Handler<P, Q, B, R, MemberActor>): void;
  pipeline<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, handler: Handler<P, Q, B, R, ApiKeyActor>): void;
}

/** Bytes of a dashboard body: an edited answer may be as large as an item, and needs room around it. */
const DASHBOARD_BYTES = 2 * LIMITS.itemBytes;

export function binder(router: Router, services: Services): Binder {
  const bind = <P, Q, B, R, A>(
    endpoint: Endpoint<P, Q, B, R>,
    identify: (ctx: Context) => Promise<A>,
    handler: Handler<P, Q, B, R, A>,
  ) => {
    const limit = endpoint.auth === 'api_key' ? LIMITS.itemBytes : DASHBOARD_BYTES;
    router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
      const actor = await identify(ctx);
      const params = parsePath(endpoint.params, ctx.params as Record<string, string>);
      const query = parseFields(endpoint.query, ctx.query, '#/query');
      const { body, raw, bytes } = await parseRequestBody(endpoint, ctx, limit);
      reply(ctx, endpoint.status, await handler({ params, query, body, raw, bytes, actor, ctx }));
    });
  };
  const member = async (ctx: Context) => {
    refuseForeignOrigin(ctx, services.baseUrl);
    const actor = await findSession(services, ctx.cookies.get(SESSION_COOKIE));
    if (actor === null) throw new Refusal('session_missing', 'Sign in with your wallet.');
    return actor;
  };
  return {
    open: (endpoint, handler) =>
      bind(endpoint, async (ctx) => (refuseForeignOrigin(ctx, services.baseUrl), null), handler),
    member: (endpoint, handler) => bind(endpoint, member, handler),
    pipeline: (endpoint, handler) => bind(endpoint, (ctx) => checkApiKey(services, header(ctx, 'x-api-key')), handler),
  };
}

/** A header sent once; a doubled one (node joins it with a comma) is left for its reader to refuse. */
export function header(ctx: Context, name: string): string | undefined {
  const value = ctx.req.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function reply(ctx: Context, status: number, value: unknown): void {
  ctx.set('cache-control', 'no-store');
  if (value === undefined) {
    ctx.status = 204;
    return;
  }
  ctx.status = status;
  ctx.body = jsonText(value);
  ctx.type = 'application/json';
}

function parsePath<P>(schema: z.ZodType<P> | null, params: Record<string, string>): P {
  if (schema === null) return undefined as P;
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new Refusal('invalid_id', 'Ids in the path are UUIDs.');
  return parsed.data;
}

async function parseRequestBody<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, ctx: Context, limit: number) {
  if (endpoint.body === null) return { body: undefined as B, raw: new Map<string, string>(), bytes: null };
  const bytes = await readBody(ctx, limit);
  const { value, raw } = bytes === null ? { value: undefined, raw: new Map<string, string>() } : parseBody(bytes);
  if (bytes === null && !endpoint.body.safeParse(undefined).success) {
    throw new Refusal('invalid_json', 'Send a JSON object as the body.');
  }
  return { body: parseFields(endpoint.body, value, '#'), raw, bytes };
}

function parseFields<T>(schema: z.ZodType<T> | null, value: unknown, root: string): T {
  if (schema === null) return undefined as T;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(issue, root));
  const first = errors[0];
  throw new Refusal('validation_failed', first ? `${first.pointer}: ${first.detail}` : 'Check the fields.', { errors });
}

function fieldErrors(issue: z.core.$ZodIssue, root: string): FieldError[] {
  const pointer = [root, ...issue.path.map((part) => escapePointer(String(part)))].join('/');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: `${pointer}/${escapePointer(key)}`,
      code: 'unknown_field',
      detail: 'There is no such field. Check the spelling.',
    }));
  }
  const missing = issue.code === 'invalid_type' && issue.message.includes('received undefined');
  return [
    missing
      ? { pointer, code: 'required', detail: 'This field is required.' }
      : { pointer, code: issue.code, detail: issue.message },
  ];
}

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
