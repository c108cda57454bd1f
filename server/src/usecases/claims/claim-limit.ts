// LC4: one person holds at most three items, over all projects and processes. Whatever gives them a claim goes through here, one at a time.
import { MAX_CLAIMS } from '@countersign/shared/api/queue';
import { Refusal } from '@countersign/shared/errors';
import { mayHoldOneMore } from '../../domain/access/pool.ts';
import type { Tx } from '../../db/database.ts';
import { idleSince, LIVE_SESSION } from '../../db/live-session.ts';
import type { Em } from '../../db/orm.ts';
import { blockedRefusal } from '../access/blocked.ts';
import { lockHolders } from './claim-store.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Runs one transaction that gives the actor a claim. A lease that is over in the database may have been renewed in the lock
 * store, so it counts (`ended` is empty); only when that leads to a refusal is the lock store asked which of them are over, and
 * the transaction runs once more with their ids.
 * Errors: `too_many_claims`, and whatever `work` refuses.
 */
export async function withinLimit<T>(
  services: Services,
  actor: MemberActor,
  work: (tx: Tx, ended: readonly string[]) => Promise<T>,
): Promise<T> {
  try {
    return await services.db.write((tx) => work(tx, []));
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'too_many_claims')) throw error;
    const ended = await endedClaims(services, actor.userId);
    if (ended.length === 0) throw error;
    return services.db.write((tx) => work(tx, ended));
  }
}

/** Whether a claim would be refused now, for whoever only looks: nothing is held, so a moment later it may be otherwise. */
export async function claimLimitReached(services: Services, userId: string): Promise<boolean> {
  const held = await services.db.read((em) => countClaims(em, userId, { but: null, ended: [] }));
  if (mayHoldOneMore(held)) return false;
  return !mayHoldOneMore(held - (await endedClaims(services, userId)).length);
}

/** The actor's leases that are over, though nobody has noticed yet. */
function endedClaims(services: Services, userId: string): Promise<string[]> {
  return endedAmong(services, (em) =>
    em.execute<{ id: string }[]>('select id from item where claimed_by = ? and claim_expires_at <= now()', [userId]),
  );
}

/** Of claims whose lease is over in the database, those that no lock keeps up: it is the lock store that knows of renewals. */
export async function endedAmong(services: Services, find: (em: Em) => Promise<{ id: string }[]>): Promise<string[]> {
  const ids = (await services.db.read(find)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const held = await lockHolders(services, ids);
  return ids.filter((id) => !held.has(id));
}

/**
 * From here to the end of the transaction nothing else gives this person a claim, in any process. It is the first lock that a
 * claim takes: the person, then their roles, then items. Errors: `blocked`.
 */
export async function lockClaimant(em: Em, userId: string): Promise<void> {
  const [person] = await em.execute<{ blocked: boolean }[]>(
    'select blocked_at is not null as blocked from app_user where id = ? for no key update',
    [userId],
  );
  // Whoever blocks them waits for us and finds the claim, or was first (A20).
  if (person?.blocked) throw blockedRefusal();
}

interface Claimant {
  userId: string;
  /** The session they ask by, which has to be alive and stays so (A21); null for who needs none. */
  sessionId: string | null;
}

/**
 * The same for several people at once, without waiting: who is held elsewhere, whose session is over and whose is just being
 * ended is not among the answer.
 */
export async function lockClaimants(em: Em, claimants: readonly Claimant[], now: Date): Promise<string[]> {
  const sessions = claimants.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]));
  const free = claimants.flatMap(({ userId, sessionId }) => (sessionId === null ? [userId] : []));
  const rows = await em.execute<{ id: string }[]>(
    `with acting as (select user_id from session where ${LIVE_SESSION('?', '?', '?')} for key share skip locked)
     select id from app_user
     where id = any(?::uuid[]) and blocked_at is null and (id = any(?::uuid[]) or id in (select user_id from acting))
     order by id for no key update skip locked`,
    [uuidArray(sessions), now, idleSince(now), uuidArray(claimants.map(({ userId }) => userId)), uuidArray(free)],
  );
  return rows.map(({ id }) => id);
}

/** How many claims each of these people has, for people who are held; a lease that is over counts. None is absent. */
export async function countClaimsOf(em: Em, userIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await em.execute<{ claimed_by: string; n: number }[]>(
    `select claimed_by, count(*)::int as n from item
     where claimed_by = any(?::uuid[]) and claim_expires_at is not null group by claimed_by`,
    [uuidArray(userIds)],
  );
  return new Map(rows.map(({ claimed_by, n }) => [claimed_by, n]));
}

/** LC4, for a person who is held. `but` is the item in question, which they hold by now. Errors: `too_many_claims`. */
export async function refuseOverClaimLimit(
  em: Em,
  userId: string,
  { but = null, ended = [] }: { but?: string | null; ended?: readonly string[] | undefined },
): Promise<void> {
  if (!mayHoldOneMore(await countClaims(em, userId, { but, ended }))) throw claimLimitRefusal();
}

async function countClaims(
  em: Em,
  userId: string,
  { but, ended }: { but: string | null; ended: readonly string[] },
): Promise<number> {
  const rows = await em.execute<{ n: number }[]>(
    `select count(*)::int as n from item
     where claimed_by = ? and claim_expires_at is not null and id is distinct from ?::uuid
       and not (claim_expires_at <= now() and id = any(?::uuid[]))`,
    [userId, but, uuidArray(ended)],
  );
  return rows[0]?.n ?? 0;
}

const claimLimitRefusal = () =>
  new Refusal('too_many_claims', `You hold ${MAX_CLAIMS} items. Decide one or give one back first.`);

/** A PostgreSQL array literal of UUIDs, safe because UUIDs hold no special characters. */
export function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}
