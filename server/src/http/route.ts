// Binds an endpoint of the contract to a handler: who asks, what they ask, the answer. Nothing else knows both sides.
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { LIMITS } from '@countersign/shared/api/public';
import { Refusal, type FieldError } from '@countersign/shared/errors';
import { EXPECTED } from '../limits/memory.ts';
import type { Owner, Place } from '../limits/room.ts';
import { checkApiKey, refuseScope } from '../usecases/check-api-key.ts';
import type { ApiKeyActor, MemberActor, Services } from '../usecases/services.ts';
import { checkSession, requireSession } from '../usecases/sessions.ts';
import { SESSION_COOKIE } from './cookies.ts';
import { createTurns } from './at-once.ts';
import { Download, sendDownload } from './download.ts';
import { parseBody } from './i-json.ts';
import { refuseForeignOrigin, refuseForeignSite } from './origin.ts';
import { limitAddress, limitKey, limitOpen, limitPerson } from './rate-limit.ts';
import { expectedOf, holderOf, keep, receiving } from './in-flight.ts';
import { readBody } from './read-body.ts';
import { type Answer, Later, reply } from './reply.ts';
import { nameCaller } from './security-events.ts';

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

type Handler<P, Q, B, R, A> = (call: Call<P, Q, B, A>) => Promise<R | Answer<R> | Later<R> | Download>;

/** What a handler gets that parses the body itself: its bytes, inflated, or none. */
export interface BytesCall<P, Q, A> extends Omit<Call<P, Q, undefined, A>, 'body' | 'raw' | 'bytes'> {
  bytes: Buffer;
}

type BytesHandler<P, Q, R, A> = (call: BytesCall<P, Q, A>) => Promise<R | Answer<R>>;

/** Binders that know the services. One per kind of caller, so that a handler's actor has the right type. */
export interface Binder {
  open<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, handler: Handler<P, Q, B, R, null>): void;
  member<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, handler: Handler<P, Q, B, R, MemberActor>): void;
  pipeline<P, Q, B, R>(endpoint: Endpoint<P, Q, B, R>, handler: Handler<P, Q, B, R, ApiKeyActor>): void;
  /** A pipeline's body too large, or of too many parts, to be judged as one: the handler parses it. */
  pipelineBytes<P, Q, B, R>(
    endpoint: Endpoint<P, Q, B, R>,
    limit: number,
    handler: BytesHandler<P, Q, R, ApiKeyActor>,
  ): void;
  /** A body that is read before it is known who sent it: `limit` counts its sender first, the handler checks the signature. */
  signed<P, Q, B, R>(
    endpoint: Endpoint<P, Q, B, R>,
    limit: (ctx: Context, params: P) => Promise<void>,
    handler: BytesHandler<P, Q, R, null>,
  ): void;
}

type Actor = ApiKeyActor | MemberActor | null;

/** Bytes of a dashboard body: an edited answer may be as large as an item, and needs room around it. */
const DASHBOARD_BYTES = 2 * LIMITS.itemBytes;
/** Bytes of what a stranger sends to sign in. */
const STRANGER_BYTES = 16 * 1024;

const BODY_BYTES = {
  none: STRANGER_BYTES,
  session: DASHBOARD_BYTES,
  api_key: LIMITS.itemBytes,
  signature: LIMITS.itemBytes,
};

export function binder(router: Router, services: Services): Binder {
  const bindWith = registrar(router, services);
  const bind = <P, Q, B, R, A extends Actor>(
    endpoint: Endpoint<P, Q, B, R>,
    caller: Caller<A>,
    handler: Handler<P, Q, B, R, A>,
  ) => {
    const limit = endpoint.body === null ? 0 : BODY_BYTES[endpoint.auth];
    bindWith(endpoint, caller, (call) =>
      receiving(services.memory, { ...call, limit }, async (place) => {
        const parsed = await parseRequestBody(endpoint, call.ctx, { limit, place });
        await caller.again(call.ctx);
        return handler({ ...call, ...parsed });
      }),
    );
  };
  const bindBytes = <P, Q, B, R, A extends Actor>(
    endpoint: Endpoint<P, Q, B, R>,
    { caller, limit }: { caller: Caller<A>; limit: number },
    handler: BytesHandler<P, Q, R, A>,
  ) =>
    bindWith(endpoint, caller, (call) =>
      receiving(services.memory, { ...call, limit }, async (place) => {
        const bytes = (await readBody(call.ctx, limit, place)) ?? Buffer.alloc(0);
        await caller.again(call.ctx);
        return handler({ ...call, bytes });
      }),
    );
  const { anybody, member, pipeline } = callers(services);
  const inTurn = createTurns();
  return {
    open: (endpoint, handler) => bind(endpoint, anybody(endpoint), handler),
    // Whatever a handler writes for a person, it writes only while their session is alive (A21).
    member: (endpoint, handler) =>
      bind(
        endpoint,
        member(endpoint),
        inTurn(endpoint, (call) => services.db.forSession(call.actor.sessionId, () => handler(call))),
      ),
    pipeline: (endpoint, handler) => bind(endpoint, pipeline(endpoint), handler),
    pipelineBytes: (endpoint, limit, handler) => bindBytes(endpoint, { caller: pipeline(endpoint), limit }, handler),
    signed: (endpoint, limit, handler) =>
      bindBytes(endpoint, { caller: signer(endpoint.params, limit), limit: LIMITS.itemBytes }, handler),
  };
}

/** Registers an endpoint: finds out who calls, parses path and query, sends what `answer` makes of them. */
function registrar(router: Router, services: Services) {
  return <P, Q, B, R, A extends Actor, X>(
    endpoint: Endpoint<P, Q, B, R>,
    caller: Caller<A>,
    answer: (call: Asked<P, Q, A>) => Promise<X>,
  ) => {
    const expected = expectedOf(endpoint);
    const layer = router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
      if (endpoint.leavesTrace) refuseForeignSite(ctx, services.baseUrl);
      const actor = await caller.identify(ctx);
      nameCaller(ctx, actor);
      const params = parsePath(endpoint.params, ctx.params as Record<string, string>);
      const query = parseFields(endpoint.query, ctx.query, '#/query');
      const owner = holderOf(ctx, actor);
      // Room for the answer comes first: nothing is asked of the database for one that could not be held (MB1).
      const place = await services.memory.unsent.enter(owner, expected, ctx.res);
      try {
        const answered: unknown = await answer({ params, query, actor, owner, ctx });
        if (answered instanceof Later) place.force(EXPECTED.small);
        const whole: unknown = answered instanceof Later ? await answered.answer() : answered;
        const identify = () => caller.identify(ctx);
        if (whole instanceof Download) {
          await sendDownload({ log: services.log, identify }, ctx, whole);
          keep(ctx, place, { slowly: true });
        } else reply(ctx, place, { usual: endpoint.status, answer: whole });
      } catch (error) {
        place.leave();
        throw error;
      }
    });
    // The router takes HEAD along with GET, which runs the handler (A22).
    if (endpoint.leavesTrace) layer.methods = layer.methods.filter((method) => method !== 'HEAD');
  };
}

interface Asked<P, Q, A> {
  params: P;
  query: Q;
  actor: A;
  /** Whom it counts for. */
  owner: Owner;
  ctx: Context;
}

interface Caller<A> {
  /** Finds out who calls, and refuses who may not or comes too often. */
  identify(ctx: Context): Promise<A>;
  /** Asked when the body is there, which may have taken its time. */
  again(ctx: Context): Promise<void>;
}

/** By kind of caller. */
function callers(services: Services) {
  const again = () => Promise.resolve();
  const anybody = (endpoint: Pick<Endpoint, 'path'>): Caller<null> => ({
    again,
    identify: async (ctx) => {
      refuseForeignOrigin(ctx, services.baseUrl);
      await limitOpen(services, ctx, endpoint);
      return null;
    },
  });
  const member = (endpoint: Pick<Endpoint, 'method' | 'path'>): Caller<MemberActor> => ({
    again: (ctx) => recheckSession(services, ctx),
    identify: async (ctx) => {
      refuseForeignOrigin(ctx, services.baseUrl);
      const stranger = () => limitAddress(services, ctx, 'unknown-session');
      const actor = await checkSession(services, ctx.cookies.get(SESSION_COOKIE), stranger);
      if (actor === null) throw new Refusal('session_missing', 'Sign in with your wallet.');
      ctx.state.identifiedAt = performance.now();
      await limitPerson(services, ctx, { ...endpoint, userId: actor.userId });
      return actor;
    },
  });
  const pipeline = ({ scope }: Pick<Endpoint, 'scope'>): Caller<ApiKeyActor> => ({
    again: (ctx) => recheckKey(services, ctx),
    identify: async (ctx) => {
      const stranger = () => limitAddress(services, ctx, 'unknown-key');
      const actor = await checkApiKey(services, header(ctx, 'x-api-key'), stranger);
      await limitKey(services, ctx, actor);
      nameCaller(ctx, actor);
      refuseScope(actor, scope);
      ctx.state.identifiedAt = performance.now();
      return actor;
    },
  });
  return { anybody, member, pipeline };
}

/** Whoever signs: counted by `limit` before a byte of the body is read. */
const signer = <P>(params: z.ZodType<P> | null, limit: (ctx: Context, params: P) => Promise<void>): Caller<null> => ({
  again: () => Promise.resolve(),
  identify: async (ctx) => {
    await limit(ctx, parsePath(params, ctx.params as Record<string, string>));
    return null;
  },
});

/** A request that took no longer is not asked for its key or its session again, in milliseconds. */
const RECHECK_MS = 1000;
const tookLong = (ctx: Context) => performance.now() - (ctx.state.identifiedAt as number) >= RECHECK_MS;

/** The session behind a body that took its time: what it would do outside any transaction is refused too (A21). */
async function recheckSession(services: Services, ctx: Context): Promise<void> {
  if (tookLong(ctx)) await requireSession(services, ctx.cookies.get(SESSION_COOKIE));
}

/**
 * A key that was good when the request began may be revoked by the time its body, or its answer, is there (K4): one that
 * `waited` was perhaps woken by that. Errors: `api_key_invalid`.
 */
export async function recheckKey(services: Services, ctx: Context, waited = false): Promise<void> {
  if (!waited && !tookLong(ctx)) return;
  await checkApiKey(services, header(ctx, 'x-api-key'));
}

/** A header sent once; a doubled one (node joins it with a comma) is left for its reader to refuse. */
export function header(ctx: Context, name: string): string | undefined {
  const value = ctx.req.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function parsePath<P>(schema: z.ZodType<P> | null, params: Record<string, string>): P {
  if (schema === null) return undefined as P;
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new Refusal('invalid_id', 'Ids in the path are UUIDs.');
  return parsed.data;
}

async function parseRequestBody<P, Q, B, R>(
  endpoint: Endpoint<P, Q, B, R>,
  ctx: Context,
  { limit, place }: { limit: number; place: Place | null },
) {
  if (endpoint.body === null) return { body: undefined as B, raw: new Map<string, string>(), bytes: null };
  const bytes = await readBody(ctx, limit, place);
  const { value, raw } = bytes === null ? { value: undefined, raw: new Map<string, string>() } : parseBody(bytes);
  if (bytes === null && !endpoint.body.safeParse(undefined).success) {
    throw new Refusal('invalid_json', 'Send a JSON object as the body.');
  }
  return { body: parseFields(endpoint.body, value, '#'), raw, bytes };
}

/** Judges fields by their schema. Errors: `validation_failed` with a pointer below `root` for each fault. */
export function parseFields<T>(schema: z.ZodType<T> | null, value: unknown, root: string): T {
  if (schema === null) return undefined as T;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(issue, root));
  const first = errors[0];
  throw new Refusal('validation_failed', first ? `${first.pointer}: ${first.detail}` : 'Check the fields.', { errors });
}

/** So many unknown fields are named: a body has room for thousands, and the answer shall not grow with it. */
const MOST_UNKNOWN = 20;

function fieldErrors(issue: z.core.$ZodIssue, root: string): FieldError[] {
  const pointer = [root, ...issue.path.map((part) => escapePointer(String(part)))].join('/');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MOST_UNKNOWN).map((key) => ({
      pointer: `${pointer}/${escapePointer(key)}`,
      code: 'unknown_field',
      detail: 'There is no such field. Check the spelling.',
    }));
  }
  // What may be any JSON is a union to zod: when it is missing, its branches say so.
  const branches =
    issue.code === 'invalid_union' ? issue.errors.flat().filter(({ path }) => path.length === 0) : [issue];
  const missing = branches.some((one) => one.code === 'invalid_type' && one.message.includes('received undefined'));
  return [
    missing
      ? { pointer, code: 'required', detail: 'This field is required.' }
      : { pointer, code: issue.code, detail: issue.message },
  ];
}

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
