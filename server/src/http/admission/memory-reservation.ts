// What a request makes this process hold, counted from before it is read until its answer is taken (MB1, MB2).
import type { Context } from 'koa';
import { z } from 'zod';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { EXPECTED } from '../../limits/memory-limits.ts';
import type { Owner, Reservation, MemoryBudget } from '../../limits/memory-budget.ts';
import type { ApiKeyActor, MemberActor } from '../../usecases/services.ts';
import { readFor } from './body-pace.ts';
import { clientOf } from './rate-limit.ts';
import { hasBody, sizeOf } from '../request/read-body.ts';

/** Whom a request counts for: the owner of its key's project, the person of its session, or the address it came from. */
export function ownerOf(ctx: Context, actor: ApiKeyActor | MemberActor | null): Owner {
  if (actor === null) return { name: `address ${clientOf(ctx)}`, stranger: true };
  const name = actor.kind === 'member' ? `person ${actor.userId}` : `keys of ${actor.ownerId}`;
  return { name, stranger: false };
}

/** Works with room for the body of the request, at most `limit`, which is left when the work is done. Errors: `unavailable`. */
export async function withBodyReservation<T>(
  { received }: { received: MemoryBudget },
  { ctx, owner, limit }: { ctx: Context; owner: Owner; limit: number },
  work: (reservation: Reservation | null) => Promise<T>,
): Promise<T> {
  if (limit === 0 || !hasBody(ctx)) return work(null);
  readFor(ctx.req, owner.name);
  const reservation = await reserveBody(received, { ctx, owner, limit });
  try {
    return await work(reservation);
  } finally {
    reservation.leave();
  }
}

async function reserveBody(
  received: MemoryBudget,
  { ctx, owner, limit }: { ctx: Context; owner: Owner; limit: number },
) {
  const bytes = sizeOf(ctx, limit);
  if (ctx.req.headers['transfer-encoding'] === undefined) return received.enter(owner, bytes, ctx.res);
  try {
    return received.enter(owner, bytes, null);
  } catch (error) {
    // What waits is left lying as it came, and a body whose length nobody said may have come in crumbs.
    ctx.set('connection', 'close');
    throw error;
  }
}

type EndpointShape = Pick<Endpoint, 'method' | 'path' | 'auth' | 'query'>;

/** Whether it answers pages of a list. */
export const isList = ({ method, auth, query }: EndpointShape): boolean =>
  method === 'GET' && auth !== 'none' && query instanceof z.ZodObject && 'limit' in query.shape;

/** How many bytes an answer of this endpoint is given room for before it is made. */
export function expectedResponseBytes(endpoint: EndpointShape): number {
  if (endpoint.method !== 'GET' || endpoint.auth === 'none') return EXPECTED.small;
  return endpoint.path.endsWith('/export') || isList(endpoint) ? EXPECTED.page : EXPECTED.one;
}

/** Hands an answer over: it counts with what it has until the client has taken it. Errors: `unavailable`, for reading alone. */
export function resizeToResponse(ctx: Context, reservation: Reservation, bytes: number): void {
  // What was changed is told in any case.
  if (ctx.method !== 'GET') reservation.force(bytes);
  else if (!reservation.resize(bytes)) throw new Refusal('unavailable', UNREAD_RESPONSES, { retryAfter: 1 });
  holdUntilSent(ctx, reservation);
}

/** Counts it until the client has taken it. `slowly`: it is sent as it is made, and may take its time. */
export function holdUntilSent(ctx: Context, reservation: Reservation, { slowly = false } = {}): void {
  if (ctx.res.closed || ctx.res.destroyed) {
    reservation.leave();
    return;
  }
  reservation.makeEvictable(() => ctx.req.socket.destroy(), { slowly });
  ctx.res.once('close', () => reservation.leave());
}

const UNREAD_RESPONSES = 'Take the answers that you have asked for, then ask again.';
