// Rate limits of HTTP requests: whom a request counts for, the response headers, and the refusal (RL1, RL2).
import type { Context } from 'koa';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { readAudits } from '@countersign/shared/routes/audits';
import { listClusters, listReasonVariants } from '@countersign/shared/routes/clusters';
import { exportLearnings, previewExport } from '@countersign/shared/routes/exports';
import { createInboundSource } from '@countersign/shared/routes/inbound';
import { listDeliveries } from '@countersign/shared/routes/deliveries';
import { listLearnings, listLearningValues, listReasonCounts } from '@countersign/shared/routes/learnings';
import { addMember, createApiKey, createProject } from '@countersign/shared/routes/projects';
import { readMedia, search } from '@countersign/shared/routes/queue';
import { challenge, verify } from '@countersign/shared/routes/session';
import { forecastSkills } from '@countersign/shared/routes/previews';
import { readCalibration, readThresholds } from '@countersign/shared/routes/thresholds';
import { Refusal } from '@countersign/shared/errors';
import type { RateLimitResult } from '../../limits/limiter.ts';
import type { ConcurrencyLimitName, PolicyBy, PolicyName } from '../../limits/policies.ts';
import type { ApiKeyActor, Services } from '../../usecases/services.ts';
import { clientOfRequest } from '../connection/client-address.ts';

type Limits = Pick<Services, 'limiter'>;
type AddressPolicy = PolicyBy<'address'>;

/**
 * Counts one request of this key or inbound source, and reports the remaining quota in the response headers. Errors:
 * `rate_limited`.
 */
export async function limitKey({ limiter }: Limits, ctx: Context, { keyId }: { keyId: string }): Promise<void> {
  const result = await limiter.take('default', keyId);
  setRateLimitHeaders(ctx, 'default', result);
  refuseUnless(result);
}

/**
 * Counts the rest of a batch: the request itself is already counted, so `items` cost `items - 1` more. A batch larger
 * than the quota costs the whole quota, so that it can pass when nothing else does. Errors: `rate_limited`, in which
 * case none of the rest is counted.
 */
export async function limitItems(
  { limiter }: Limits,
  ctx: Context,
  { actor, items }: { actor: ApiKeyActor; items: number },
): Promise<void> {
  const cost = Math.min(items, limiter.policies.default.quota) - 1;
  if (cost <= 0) return;
  const rest = await limiter.take('default', actor.keyId, cost);
  // The retry costs one request as well, which must fit in the quota too.
  const oneMore = Math.ceil(rest.policy.windowSeconds / rest.policy.quota);
  const result = rest.allowed ? rest : { ...rest, retryAfterSeconds: rest.retryAfterSeconds + oneMore };
  setRateLimitHeaders(ctx, 'default', result);
  refuseUnless(result);
}

/**
 * Counts one request of this client's address. Errors: `rate_limited`; only then does the response carry the limit
 * headers.
 */
export async function limitAddress({ limiter }: Limits, ctx: Context, name: AddressPolicy): Promise<void> {
  const result = await limiter.take(name, clientOf(ctx));
  if (!result.allowed) {
    setRateLimitHeaders(ctx, name, result);
    // A flood must then open connections, which are limited before a byte is read.
    ctx.set('connection', 'close');
  }
  refuseUnless(result);
}

/** Unauthenticated endpoints with a cost: each challenge is a row, each verify a signature check. */
const LIMITED: ReadonlyMap<string, AddressPolicy> = new Map([
  [challenge.path, 'challenge'],
  [verify.path, 'verify'],
]);

/** Counts a request to an unauthenticated endpoint. Errors: `rate_limited`. */
export async function limitOpen(limits: Limits, ctx: Context, { path }: Pick<Endpoint, 'path'>): Promise<void> {
  await limitAddress(limits, ctx, LIMITED.get(path) ?? 'anonymous');
}

type Named = Pick<Endpoint, 'method' | 'path'>;
const nameOf = ({ method, path }: Named) => `${method} ${path}`;

/** Policies of creations, and of what sends requests out, in addition to the default of every dashboard request: by user, and by address. */
const CREATION_POLICIES: ReadonlyMap<string, { person: PolicyBy<'person'>; address?: PolicyBy<'address'> }> = new Map([
  [nameOf(createProject), { person: 'new-project', address: 'new-project-address' }],
  [nameOf(createApiKey), { person: 'new-credential' }],
  [nameOf(createInboundSource), { person: 'new-credential' }],
  [nameOf(addMember), { person: 'new-member' }],
  [nameOf(readMedia), { person: 'media' }],
]);

/**
 * Counts a dashboard request by user, regardless of the endpoint (RL5), and what it creates in addition. A download
 * re-checks its session repeatedly but counts once. Errors: `rate_limited`.
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
  throw new Refusal('rate_limited', 'Too many requests from your account in a short time.', {
    retryAfter,
  });
}

/** Expensive endpoints, of which only a few may run at the same time (RL6). */
const EXPENSIVE: ReadonlyMap<string, ConcurrencyLimitName> = new Map<string, ConcurrencyLimitName>([
  ...[readAnalytics, readAudits, readThresholds, readCalibration, listClusters, listReasonVariants].map(heavy),
  ...[listLearnings, listLearningValues, listReasonCounts, listDeliveries, previewExport, search].map(heavy),
  heavy(forecastSkills),
  [nameOf(exportLearnings), 'export'],
  [nameOf(readMedia), 'media'],
]);

function heavy(endpoint: Named): [string, ConcurrencyLimitName] {
  return [nameOf(endpoint), 'heavy'];
}

/** The concurrency class of an endpoint, if any. */
export const concurrencyClassOf = (endpoint: Named): ConcurrencyLimitName | undefined =>
  EXPENSIVE.get(nameOf(endpoint));

function refuseUnless({ allowed, retryAfterSeconds: retryAfter }: RateLimitResult): void {
  if (allowed) return;
  throw new Refusal('rate_limited', `Rate limited. Retry in ${retryAfter} s.`, { retryAfter });
}

/** draft-ietf-httpapi-ratelimit-headers-11. `t` of a refusal equals its Retry-After, so that the two headers agree. */
function setRateLimitHeaders(ctx: Context, name: PolicyName, result: RateLimitResult): void {
  const { quota, windowSeconds } = result.policy;
  const seconds = result.allowed ? result.fullInSeconds : result.retryAfterSeconds;
  ctx.set('ratelimit-policy', `"${name}";q=${quota};w=${windowSeconds}`);
  ctx.set('ratelimit', `"${name}";r=${result.remaining};t=${seconds}`);
}

/** The client address that this request counts for. */
export const clientOf = ({ req, app }: Context): string => clientOfRequest(req, app.proxy ? app.maxIpsCount : 0);
