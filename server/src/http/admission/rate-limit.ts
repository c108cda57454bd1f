// The limits at the door: who is counted as whom, what answers say about it, and the refusal (RL1, RL2).
import type { Context } from 'koa';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { readAnalytics } from '@countersign/shared/api/analytics';
import { readAudits } from '@countersign/shared/api/audits';
import { listClusters, listReasonVariants } from '@countersign/shared/api/clusters';
import { exportLearnings, previewExport } from '@countersign/shared/api/exports';
import { createInboundSource } from '@countersign/shared/api/inbound';
import { listDeliveries, listLearnings, listLearningValues } from '@countersign/shared/api/learnings';
import { addMember, createApiKey, createProject } from '@countersign/shared/api/projects';
import { challenge, verify } from '@countersign/shared/api/session';
import { readCalibration, readThresholds } from '@countersign/shared/api/thresholds';
import { Refusal } from '@countersign/shared/errors';
import type { RateLimitResult } from '../../limits/limiter.ts';
import type { ConcurrencyLimitName, PolicyBy, PolicyName } from '../../limits/policies.ts';
import type { ApiKeyActor, Services } from '../../usecases/services.ts';
import { clientOfRequest } from '../connection/client-address.ts';

type Limits = Pick<Services, 'limiter'>;
type AddressPolicy = PolicyBy<'address'>;

/** Counts one request of this key, or of this inbound source, and says on the answer what is left. Errors: `rate_limited`. */
export async function limitKey({ limiter }: Limits, ctx: Context, { keyId }: { keyId: string }): Promise<void> {
  const result = await limiter.take('default', keyId);
  setRateLimitHeaders(ctx, 'default', result);
  refuseUnless(result);
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
  const result = rest.allowed ? rest : { ...rest, retryAfterSeconds: rest.retryAfterSeconds + oneMore };
  setRateLimitHeaders(ctx, 'default', result);
  refuseUnless(result);
}

/** Counts one request of this client's address. Errors: `rate_limited`, and only then the answer speaks of the limit. */
export async function limitAddress({ limiter }: Limits, ctx: Context, name: AddressPolicy): Promise<void> {
  const result = await limiter.take(name, clientOf(ctx));
  if (!result.allowed) {
    setRateLimitHeaders(ctx, name, result);
    // A flood has to open connections, which are counted before a byte is read.
    ctx.set('connection', 'close');
  }
  refuseUnless(result);
}

/** The endpoints without a caller that cost us something: each challenge is a row, each verify a signature. */
const LIMITED: ReadonlyMap<string, AddressPolicy> = new Map([
  [challenge.path, 'challenge'],
  [verify.path, 'verify'],
]);

/** Counts a request to an endpoint that anybody may call. Errors: `rate_limited`. */
export async function limitOpen(limits: Limits, ctx: Context, { path }: Pick<Endpoint, 'path'>): Promise<void> {
  await limitAddress(limits, ctx, LIMITED.get(path) ?? 'anonymous');
}

type Named = Pick<Endpoint, 'method' | 'path'>;
const nameOf = ({ method, path }: Named) => `${method} ${path}`;

/** What counts beside the default of every dashboard request: by the person, and by their address. */
const CREATION_POLICIES: ReadonlyMap<string, { person: PolicyBy<'person'>; address?: PolicyBy<'address'> }> = new Map([
  [nameOf(createProject), { person: 'new-project', address: 'new-project-address' }],
  [nameOf(createApiKey), { person: 'new-credential' }],
  [nameOf(createInboundSource), { person: 'new-credential' }],
  [nameOf(addMember), { person: 'new-member' }],
]);

/**
 * Counts a request of the dashboard by who asks, whatever it asks for (RL5), and what it makes beside that. A download asks who takes
 * it again and again: it is one request. Errors: `rate_limited`.
 */
export async function limitPerson(limits: Limits, ctx: Context, asked: Named & { userId: string }): Promise<void> {
  if (ctx.state.countedPerson === true) return;
  ctx.state.countedPerson = true;
  await countRequest(limits, 'dashboard', asked.userId);
  const creation = CREATION_POLICIES.get(nameOf(asked));
  if (creation === undefined) return;
  await countRequest(limits, creation.person, asked.userId);
  if (creation.address !== undefined) await limitAddress(limits, ctx, creation.address);
}

async function countRequest({ limiter }: Limits, name: PolicyName, key: string): Promise<void> {
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take(name, key);
  if (allowed) return;
  throw new Refusal('rate_limited', 'Very much was asked for in your name within a short time.', {
    retryAfter,
  });
}

/** What is so dear that only some of it goes on at the same time (RL6). */
const EXPENSIVE: ReadonlyMap<string, ConcurrencyLimitName> = new Map<string, ConcurrencyLimitName>([
  ...[readAnalytics, readAudits, readThresholds, readCalibration, listClusters, listReasonVariants].map(heavy),
  ...[listLearnings, listLearningValues, listDeliveries, previewExport].map(heavy),
  [nameOf(exportLearnings), 'export'],
]);

function heavy(endpoint: Named): [string, ConcurrencyLimitName] {
  return [nameOf(endpoint), 'heavy'];
}

/** Of which kind an endpoint is, if of any. */
export const concurrencyClassOf = (endpoint: Named): ConcurrencyLimitName | undefined =>
  EXPENSIVE.get(nameOf(endpoint));

function refuseUnless({ allowed, retryAfterSeconds: retryAfter }: RateLimitResult): void {
  if (allowed) return;
  throw new Refusal('rate_limited', `Wait ${retryAfter} s, then go on more slowly.`, { retryAfter });
}

/** draft-ietf-httpapi-ratelimit-headers-11. `t` of a refusal is its Retry-After: the two must not name different moments. */
function setRateLimitHeaders(ctx: Context, name: PolicyName, result: RateLimitResult): void {
  const { quota, windowSeconds } = result.policy;
  const seconds = result.allowed ? result.fullInSeconds : result.retryAfterSeconds;
  ctx.set('ratelimit-policy', `"${name}";q=${quota};w=${windowSeconds}`);
  ctx.set('ratelimit', `"${name}";r=${result.remaining};t=${seconds}`);
}

/** Whom this request counts as. */
export const clientOf = ({ req, app }: Context): string => clientOfRequest(req, app.proxy ? app.maxIpsCount : 0);
