// Limits claims to three per person over all projects and processes (LC4), for every new claim.
import type { Role } from '@countersign/shared/enums';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import { mayHoldOneMore } from '../../domain/access/pool.ts';
import type { Tx } from '../../db/database.ts';
import { planned } from '../../db/connection/planned.ts';
import { idleSince, LIVE_SESSION } from '../../db/live-session.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { blockedRefusal } from '../access/blocked.ts';
import { lockRole } from '../access/membership.ts';
import { isProvisional, lockHolders } from './claim-store.ts';
import { isSameClaim } from '../../claims/claim-lock.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Runs a transaction that gives the actor a claim. A lease that has ended in the database may have been renewed in the
 * lock store, so it counts at first (`ended` is empty). Only when that leads to a refusal is the lock store asked which
 * leases have ended, and the transaction runs again with their ids. Errors: `too_many_claims`, and those of `work`.
 * Every new claim comes through here, one at a time per person.
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

/** Whether a claim would be refused now. Nothing is locked, so the answer may change at any moment. */
export async function claimLimitReached(services: Services, userId: string): Promise<boolean> {
  const held = await services.db.read((em) => countClaims(em, userId, { but: null, ended: [] }));
  if (mayHoldOneMore(held)) return false;
  return !mayHoldOneMore(held - (await endedClaims(services, userId)).length);
}

/** The actor's leases that have ended but are not marked as expired yet. */
function endedClaims(services: Services, userId: string): Promise<string[]> {
  return endedAmong(services, (em) =>
    em.execute<EndedLease[]>(
      'select id, claimed_by, claim_fence from item where claimed_by = ? and claim_expires_at <= now()',
      [userId],
    ),
  );
}

/** A claim whose lease has ended in the database. */
export interface EndedLease {
  id: string;
  claimed_by: string;
  claim_fence: number;
}

/** Of these claims, those without a lock: only the lock store knows of renewals. A lock of an earlier claim does not count. */
export async function endedAmong(services: Services, find: (em: Em) => Promise<EndedLease[]>): Promise<string[]> {
  const leases = await services.db.read(find);
  if (leases.length === 0) return [];
  const ids = leases.map(({ id }) => id);
  const held = await lockHolders(services, ids);
  const isHeld = ({ id, claimed_by: userId, claim_fence: fence }: EndedLease) => {
    const lock = held.get(id);
    return lock !== undefined && (isProvisional(lock) || isSameClaim(lock, { userId, fence }));
  };
  return leases.filter((lease) => !isHeld(lease)).map(({ id }) => id);
}

const LOCK_CLAIMANT = planned('select blocked_at is not null as blocked from app_user where id = $1 for no key update');

/**
 * From here until the transaction ends, no other transaction gives this person a claim. It is the first lock of a claim: the
 * person, then their roles, then items. Errors: `blocked`.
 */
export async function lockClaimant(em: Em, userId: string): Promise<void> {
  const [person] = await rawQuery<{ blocked: boolean }>(em, LOCK_CLAIMANT, [userId]);
  // A block command waits for this transaction and finds the claim, or was first (A20).
  if (person?.blocked) throw blockedRefusal();
}

/** $1: the user; $2: the project. The person first, then the role: the subquery reads it once it has the person. */
const LOCK_WITH_ROLE = planned(`
  with person as materialized (select id, blocked_at is not null as blocked from app_user where id = $1 for no key update)
  select person.blocked, own.role from person
  left join lateral (select role from member where project_id = $2 and user_id = person.id for share) own on true`);

/** `lockClaimant` and `lockRole` in one round trip. Null for someone who is not a member. Errors: `blocked`. */
export async function lockClaimantAndRole(em: Em, userId: string, projectId: string): Promise<Role | null> {
  const [found] = await rawQuery<{ blocked: boolean; role: Role | null }>(em, LOCK_WITH_ROLE, [userId, projectId]);
  if (found?.blocked) throw blockedRefusal();
  // Someone who became a member while this waited for the person is missing from the snapshot of that statement.
  return found?.role ?? lockRole(em, userId, projectId);
}

interface Claimant {
  userId: string;
  /** The session of the request, which has to be alive and is locked (A21); null when none is needed. */
  sessionId: string | null;
}

/**
 * The same for several people, without waiting. The result excludes people who are locked
 * elsewhere, and those whose session has ended or is just being ended.
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

/** How many claims each of these locked people has; an ended lease counts. People without claims are absent. */
export async function countClaimsOf(em: Em, userIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await em.execute<{ claimed_by: string; n: number }[]>(
    `select claimed_by, count(*)::int as n from item
     where claimed_by = any(?::uuid[]) and claim_expires_at is not null group by claimed_by`,
    [uuidArray(userIds)],
  );
  return new Map(rows.map(({ claimed_by, n }) => [claimed_by, n]));
}

/** LC4, for a locked person. `but` is the item being claimed, which they hold by now. Errors: `too_many_claims`. */
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
  new Refusal('too_many_claims', `You have claimed ${MAX_CLAIMS} items. Decide or release one first.`);

/** A PostgreSQL array literal of UUIDs, safe because UUIDs hold no special characters. */
export function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}
