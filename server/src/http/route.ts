// Binds an endpoint of the contract to a handler: authentication, validation, response.
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import { LIMITS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import type { Route } from '@countersign/shared/routes/route';
import { EXPECTED, READING } from '../limits/memory-limits.ts';
import type { Owner, Reservation } from '../limits/memory-budget.ts';
import type { ApiKeyActor, KnownKey, MemberActor, Services } from '../usecases/services.ts';
import { waitForTurn } from '../usecases/yield-to-event-loop.ts';
import { admit, type Admitted, createEndpointLimiters, releaseWhenSent } from './admission/admit.ts';
import { type Caller, callers, signer } from './admission/callers.ts';
import { Download, sendDownload } from './response/download.ts';
import { compressResponse } from './response/compression.ts';
import { clientOf } from './admission/rate-limit.ts';
import { parseBody } from './request/i-json.ts';
import { refuseForeignSite } from './admission/origin.ts';
import { parseFields, parsePath, parseQuery } from './request/parse-fields.ts';
import { expectedResponseBytes, ownerOf, holdUntilSent, withBodyReservation } from './admission/memory-reservation.ts';
import { readBody } from './request/read-body.ts';
import { type ReplyWithStatus, DeferredReply, reply } from './response/reply.ts';
import { nameCaller } from './middleware/security-events.ts';

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

type Handler<P, Q, B, R, A> = (call: Call<P, Q, B, A>) => Promise<R | ReplyWithStatus<R> | DeferredReply<R> | Download>;

/** The input of a handler that parses the body itself: its decompressed bytes, or null. */
export interface BytesCall<P, Q, A> extends Omit<Call<P, Q, undefined, A>, 'body' | 'raw' | 'bytes'> {
  bytes: Buffer;
  /** Memory for the response (MB1). */
  reserved: Reservation;
}

type BytesHandler<P, Q, R, A> = (
  call: BytesCall<P, Q, A>,
) => Promise<R | ReplyWithStatus<R> | DeferredReply<R | ReplyWithStatus<R>>>;

/** Binders with access to the services. One per kind of caller, so that the actor of a handler has the right type. */
export interface Binder {
  open<P, Q, B, R>(route: Route<P, Q, B, R>, handler: Handler<P, Q, B, R, null>): void;
  member<P, Q, B, R>(route: Route<P, Q, B, R>, handler: Handler<P, Q, B, R, MemberActor>): void;
  pipeline<P, Q, B, R>(route: Route<P, Q, B, R>, handler: Handler<P, Q, B, R, ApiKeyActor>): void;
  /** The body of a pipeline that is too large, or has too many parts, to be validated as one: the handler parses it. */
  pipelineBytes<P, Q, B, R>(route: Route<P, Q, B, R>, limit: number, handler: BytesHandler<P, Q, R, KnownKey>): void;
  /**
   * A body that is read before its sender is known: `limit` counts the sender first, the handler checks the signature.
   */
  signed<P, Q, B, R>(
    route: Route<P, Q, B, R>,
    limit: (ctx: Context, params: P) => Promise<void>,
    handler: BytesHandler<P, Q, R, null>,
  ): void;
}

type Actor = ApiKeyActor | MemberActor | null;

/** Maximum bytes of a dashboard body: an edited answer may be as large as an item, plus the rest of the request. */
const DASHBOARD_BYTES = 2 * LIMITS.itemBytes;
/** Maximum bytes of an unauthenticated body, for sign-in. */
const STRANGER_BYTES = 32 * 1024;

const BODY_BYTES = {
  none: STRANGER_BYTES,
  session: DASHBOARD_BYTES,
  api_key: LIMITS.itemBytes,
  bearer: LIMITS.itemBytes,
  signature: LIMITS.itemBytes,
};

/** Registers endpoints whose body is parsed here or by the handler. */
function bodies(router: Router, services: Services) {
  const bindWith = registrar(router, services);
  const bind = <P, Q, B, R, A extends Actor>(
    endpoint: Endpoint<P, Q, B, R>,
    caller: Caller<A>,
    handler: Handler<P, Q, B, R, A>,
  ) => {
    const limit = endpoint.body === null ? 0 : BODY_BYTES[endpoint.auth];
    bindWith(endpoint, caller, (call) =>
      withBodyReservation(services.memory, { ...call, limit }, async (reservation) => {
        const parsed = await parseRequestBody(endpoint, call.ctx, { limit, reservation });
        await caller.recheck(call.ctx);
        return services.db.forOwner(call.owner, () => handler({ ...call, ...parsed }));
      }),
    );
  };
  const bindBytes = <P, Q, B, R, A extends Actor>(
    endpoint: Endpoint<P, Q, B, R>,
    { caller, limit }: { caller: Caller<A>; limit: number },
    handler: BytesHandler<P, Q, R, A>,
  ) =>
    bindWith(endpoint, caller, (call) =>
      withBodyReservation(services.memory, { ...call, limit }, async (reservation) => {
        const bytes = (await readBody(call.ctx, limit, reservation)) ?? Buffer.alloc(0);
        await turnToParse(bytes);
        await caller.recheck(call.ctx);
        return services.db.forOwner(call.owner, () => handler({ ...call, bytes }));
      }),
    );
  return { bind, bindBytes };
}

/** This is the only place that knows both the contract and the handlers. */
export function binder(router: Router, services: Services): Binder {
  const { bind, bindBytes } = bodies(router, services);
  const { anyone, member, pipeline } = callers(services);
  return {
    open: (route, handler) => bind(endpointOf(route), anyone(route), handler),
    // A handler writes on behalf of a member only while their session is active (A21).
    member: (route, handler) =>
      bind(endpointOf(route), member(route), (call) =>
        services.db.forSession(call.actor.sessionId, () => handler(call)),
      ),
    pipeline: (route, handler) => bind(endpointOf(route), pipeline(endpointOf(route)), handler),
    pipelineBytes: (route, limit, handler) =>
      bindBytes(endpointOf(route), { caller: pipeline(endpointOf(route)), limit }, handler),
    signed: (route, limit, handler) => {
      const endpoint = endpointOf(route);
      bindBytes(endpoint, { caller: signer(endpoint.params, limit), limit: LIMITS.itemBytes }, handler);
    },
  };
}

/** Registers an endpoint: authenticates the caller, parses path and query, and sends the result of `answer`. */
function registrar(router: Router, services: Services) {
  const limiterOf = createEndpointLimiters();
  return <P, Q, B, R, A extends Actor, X>(
    endpoint: Endpoint<P, Q, B, R>,
    caller: Caller<A>,
    answer: (call: IdentifiedCall<P, Q, A>) => Promise<X>,
  ) => {
    const expected = expectedResponseBytes(endpoint);
    const limiter = limiterOf(endpoint);
    const layer = router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
      if (endpoint.recordsAccess) refuseForeignSite(ctx, services.baseUrl);
      const actor = await caller.identify(ctx);
      nameCaller(ctx, actor);
      const params = parsePath(endpoint.params, ctx.params as Record<string, string>);
      const query = parseQuery(endpoint, ctx.query);
      const owner = ownerOf(ctx, actor);
      // The response memory is reserved first: nothing is read from the database for a response that cannot be held
      // (MB1).
      const sender = { owner, address: clientOf(ctx), client: ctx.res };
      const admitted = await admit(services.memory, limiter, { ...sender, expected });
      const identify = () => caller.identify(ctx);
      const pending = answer({ params, query, actor, owner, ctx, reserved: admitted.reservation });
      await send({ log: services.log, identify }, ctx, { endpoint, pending, admitted });
    });
    // The router maps HEAD to GET, which would run the handler (A22).
    if (endpoint.recordsAccess) layer.methods = layer.methods.filter((method) => method !== 'HEAD');
  };
}

interface Sending {
  endpoint: Pick<Endpoint, 'method' | 'path' | 'auth' | 'status'>;
  pending: Promise<unknown>;
  admitted: Admitted;
}

/**
 * Sends the response, which holds its memory until the client has received it and its concurrency slot until it is
 * created; a download holds both to the end.
 */
async function send(
  sender: Parameters<typeof sendDownload>[0],
  ctx: Context,
  { endpoint, pending, admitted }: Sending,
) {
  const { reservation, release } = admitted;
  try {
    const answered = await pending;
    if (answered instanceof DeferredReply) reservation.force(EXPECTED.small);
    const answer: unknown = answered instanceof DeferredReply ? await answered.answer() : answered;
    if (answer instanceof Download) {
      await sendDownload(sender, ctx, answer);
      holdUntilSent(ctx, reservation, { slowly: true });
      releaseWhenSent(admitted, ctx.res);
      return;
    }
    reply(ctx, reservation, { defaultStatus: endpoint.status, answer });
    await compressResponse(ctx, endpoint);
  } catch (error) {
    reservation.leave();
    release();
    throw error;
  }
  release();
}

interface IdentifiedCall<P, Q, A> {
  params: P;
  query: Q;
  actor: A;
  /** The owner that it counts for. */
  owner: Owner;
  ctx: Context;
  /** Memory for the response (MB1). */
  reserved: Reservation;
}

/** Many large bodies may complete at the same moment: one is parsed per turn of the event loop (MB9). */
const turnToParse = (bytes: Buffer): Promise<void> => (bytes.length > READING.free ? waitForTurn() : Promise.resolve());

async function parseRequestBody<P, Q, B, R>(
  endpoint: Endpoint<P, Q, B, R>,
  ctx: Context,
  { limit, reservation }: { limit: number; reservation: Reservation | null },
) {
  if (endpoint.body === null) return { body: undefined as B, raw: new Map<string, string>(), bytes: null };
  const bytes = await readBody(ctx, limit, reservation);
  if (bytes !== null) await turnToParse(bytes);
  const { value, raw } = bytes === null ? { value: undefined, raw: new Map<string, string>() } : parseBody(bytes);
  if (bytes === null && !endpoint.body.safeParse(undefined).success) {
    throw new Refusal('invalid_json', 'Send a JSON object as the body.');
  }
  return { body: parseFields(endpoint.body, value, '#'), raw, bytes };
}
