// Memory that a request reserves, from before its body is read until its response is sent (MB1, MB2).
import type { Context } from 'koa';
import { z } from 'zod';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { EXPECTED } from '../../limits/memory-limits.ts';
import type { Owner, Reservation, MemoryBudget } from '../../limits/memory-budget.ts';
import type { ApiKeyActor, MemberActor } from '../../usecases/services.ts';
import { readFor } from './body-pace.ts';
import { clientOf } from './rate-limit.ts';
import { hasBody, sizeOf } from '../request/read-body.ts';

/**
 * The owner that a request counts for: the owner of the key's project, the user of the session, or the client address.
 */
export function ownerOf(ctx: Context, actor: ApiKeyActor | MemberActor | null): Owner {
  if (actor === null) return { name: `address ${clientOf(ctx)}`, stranger: true };
  const name = actor.kind === 'member' ? `person ${actor.userId}` : `keys of ${actor.ownerId}`;
  return { name, stranger: false };
}

/**
 * Runs `work` with memory reserved for the body of the request, at most `limit`, and releases it afterwards. Errors:
 * `unavailable`.
 */
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
    // The unread body stays in the socket buffers, and a body of unknown length may consist of tiny chunks.
    ctx.set('connection', 'close');
    throw error;
  }
}

type EndpointShape = Pick<Endpoint, 'method' | 'path' | 'auth' | 'query'>;

/** Whether the endpoint returns pages of a list. */
export const isList = ({ method, auth, query }: EndpointShape): boolean =>
  method === 'GET' && auth !== 'none' && query instanceof z.ZodObject && 'limit' in query.shape;

/** Bytes reserved for a response of this endpoint before it is created. */
export function expectedResponseBytes(endpoint: EndpointShape): number {
  // An agent may read an item with it.
  if (endpoint.auth === 'bearer') return EXPECTED.one;
  if (endpoint.method !== 'GET' || endpoint.auth === 'none') return EXPECTED.small;
  return endpoint.path.endsWith('/export') || isList(endpoint) ? EXPECTED.page : EXPECTED.one;
}

/**
 * Resizes the reservation to the actual response until the client has received it. Errors: `unavailable`, only for
 * reads: a change is always acknowledged.
 */
export function resizeToResponse(
  ctx: Context,
  reservation: Reservation,
  { bytes, isRead }: { bytes: number; isRead: boolean },
): void {
  if (isRead) resizeForRead(reservation, bytes);
  else reservation.force(bytes);
  holdUntilSent(ctx, reservation);
}

/** Resizes the reservation for a response that may be refused. Errors: `unavailable`. */
export function resizeForRead(reservation: Reservation, bytes: number): void {
  if (!reservation.resize(bytes)) throw new Refusal('unavailable', UNREAD_RESPONSES, { retryAfter: 1 });
}

/** Holds the reservation until the client has received the response. `slowly`: it is streamed and may take a while. */
export function holdUntilSent(ctx: Context, reservation: Reservation, { slowly = false } = {}): void {
  if (ctx.res.closed || ctx.res.destroyed) {
    reservation.leave();
    return;
  }
  reservation.makeEvictable(() => ctx.req.socket.destroy(), { slowly });
  ctx.res.once('close', () => reservation.leave());
}

const UNREAD_RESPONSES = 'Read the responses you have requested, then retry.';
