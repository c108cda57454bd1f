// The limits at the door: who is counted as whom, what answers say about it, and the refusal (RL1, RL2).
import type { Context } from 'koa';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { challenge, verify } from '@countersign/shared/api/session';
import { Refusal } from '@countersign/shared/errors';
import type { PolicyName, Taken } from '../limits/limiter.ts';
import type { ApiKeyActor, Services } from '../usecases/services.ts';
import { clientOfRequest } from './client-address.ts';

type Limits = Pick<Services, 'limiter'>;
type AddressPolicy = Exclude<PolicyName, 'default' | 'webhook-test' | 'invite' | 'offer' | 'own-handshake'>;

/** Counts one request of this key, or of this inbound source, and says on the answer what is left. Errors: `rate_limited`. */
export async function limitKey({ limiter }: Limits, ctx: Context, { keyId }: { keyId: string }): Promise<void> {
  const taken = await limiter.take('default', keyId);
  tell(ctx, 'default', taken);
  refuseUnless(taken);
}

/**
 * Counts the rest of a batch: a request was counted when it came in, so `items` cost `items - 1` more. A batch larger than the
 * quota costs all of it, so that it can pass when nothing else does. Errors: `rate_limited`; nothing of the rest is counted then.
 */
export async function limitItems(
  { limiter }: Limits,
  ctx: Context,
  { actor, items }: { actor: ApiKeyActor; items: number },
): Promise<void> {
  const cost = Math.min(items, limiter.policies.default.quota) - 1;
  if (cost <= 0) return;
  const rest = await limiter.take('default', actor.keyId, cost);
  // Coming back costs a request again, which has to fit as well.
  const oneMore = Math.ceil(rest.policy.windowSeconds / rest.policy.quota);
  const taken = rest.allowed ? rest : { ...rest, retryAfterSeconds: rest.retryAfterSeconds + oneMore };
  tell(ctx, 'default', taken);
  refuseUnless(taken);
}

/** Counts one request of this client's address. Errors: `rate_limited`, and only then the answer speaks of the limit. */
export async function limitAddress({ limiter }: Limits, ctx: Context, name: AddressPolicy): Promise<void> {
  const taken = await limiter.take(name, clientOf(ctx));
  if (!taken.allowed) tell(ctx, name, taken);
  refuseUnless(taken);
}

/** The endpoints without a caller that cost us something: each challenge is a row, each verify a signature. */
const LIMITED: ReadonlyMap<string, AddressPolicy> = new Map([
  [challenge.path, 'challenge'],
  [verify.path, 'verify'],
]);

/** Counts a request to an endpoint that anybody may call, if that endpoint is limited. Errors: `rate_limited`. */
export async function limitOpen(limits: Limits, ctx: Context, { path }: Pick<Endpoint, 'path'>): Promise<void> {
  const name = LIMITED.get(path);
  if (name !== undefined) await limitAddress(limits, ctx, name);
}

function refuseUnless({ allowed, retryAfterSeconds: retryAfter }: Taken): void {
  if (allowed) return;
  throw new Refusal('rate_limited', `Wait ${retryAfter} s, then go on more slowly.`, { retryAfter });
}

/** draft-ietf-httpapi-ratelimit-headers-11. `t` of a refusal is its Retry-After: the two must not name different moments. */
function tell(ctx: Context, name: PolicyName, taken: Taken): void {
  const { quota, windowSeconds } = taken.policy;
  const seconds = taken.allowed ? taken.fullInSeconds : taken.retryAfterSeconds;
  ctx.set('ratelimit-policy', `"${name}";q=${quota};w=${windowSeconds}`);
  ctx.set('ratelimit', `"${name}";r=${taken.remaining};t=${seconds}`);
}

/** Whom this request counts as. */
export const clientOf = ({ req, app }: Context): string => clientOfRequest(req, app.proxy ? app.maxIpsCount : 0);
