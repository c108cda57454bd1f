// What a request makes this process hold, counted from before it is read until its answer is taken (MB1, MB2).
import type { Context } from 'koa';
import { z } from 'zod';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { EXPECTED } from '../limits/memory.ts';
import type { Owner, Place, Room } from '../limits/room.ts';
import type { ApiKeyActor, MemberActor } from '../usecases/services.ts';
import { readFor } from './body-pace.ts';
import { clientOf } from './rate-limit.ts';
import { hasBody, sizeOf } from './read-body.ts';

/** Whom a request counts for: the owner of its key's project, the person of its session, or the address it came from. */
export function holderOf(ctx: Context, actor: ApiKeyActor | MemberActor | null): Owner {
  if (actor === null) return { name: `address ${clientOf(ctx)}`, stranger: true };
  const name = actor.kind === 'member' ? `person ${actor.userId}` : `keys of ${actor.ownerId}`;
  return { name, stranger: false };
}

/** Works with room for the body of the request, at most `limit`, which is left when the work is done. Errors: `unavailable`. */
export async function receiving<T>(
  { received }: { received: Room },
  { ctx, owner, limit }: { ctx: Context; owner: Owner; limit: number },
  work: (place: Place | null) => Promise<T>,
): Promise<T> {
  if (limit === 0 || !hasBody(ctx)) return work(null);
  readFor(ctx.req, owner.name);
  const place = await placeFor(received, { ctx, owner, limit });
  try {
    return await work(place);
  } finally {
    place.leave();
  }
}

async function placeFor(received: Room, { ctx, owner, limit }: { ctx: Context; owner: Owner; limit: number }) {
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

type Asked = Pick<Endpoint, 'method' | 'path' | 'auth' | 'query'>;

/** Whether it answers pages of a list. */
export const isList = ({ method, auth, query }: Asked): boolean =>
  method === 'GET' && auth !== 'none' && query instanceof z.ZodObject && 'limit' in query.shape;

/** How many bytes an answer of this endpoint is given room for before it is made. */
export function expectedOf(endpoint: Asked): number {
  if (endpoint.method !== 'GET' || endpoint.auth === 'none') return EXPECTED.small;
  return endpoint.path.endsWith('/export') || isList(endpoint) ? EXPECTED.page : EXPECTED.one;
}

/** Hands an answer over: it counts with what it has until the client has taken it. Errors: `unavailable`, for reading alone. */
export function handOver(ctx: Context, place: Place, bytes: number): void {
  // What was changed is told in any case.
  if (ctx.method !== 'GET') place.force(bytes);
  else if (!place.resize(bytes)) throw new Refusal('unavailable', NOT_TAKEN, { retryAfter: 1 });
  keep(ctx, place);
}

/** Counts it until the client has taken it. `slowly`: it is sent as it is made, and may take its time. */
export function keep(ctx: Context, place: Place, { slowly = false } = {}): void {
  if (ctx.res.closed || ctx.res.destroyed) {
    place.leave();
    return;
  }
  place.mayGo(() => ctx.req.socket.destroy(), { slowly });
  ctx.res.once('close', () => place.leave());
}

const NOT_TAKEN = 'Take the answers that you have asked for, then ask again.';
