// Which items wait first and are free, and how they are handed to who asked: the picks of claim-next, and the grant of what was picked.
import type { Role } from '@countersign/shared/enums';
import { memberRef } from '../../domain/access/actor.ts';
import { may } from '../../domain/access/permissions.ts';
import type { Tx } from '../../db/database.ts';
import { Item } from '../../db/entities/item.ts';
import { HAS_AUDITS } from '../../db/audits/has-audits.ts';
import type { Em } from '../../db/orm.ts';
import { endedAmong, uuidArray } from './claim-limit.ts';
import type { ReviewerGrant } from './claim-row.ts';
import type { MemberActor, Services } from '../services.ts';

/** A role that is held to the end of the transaction. */
export interface LockedRole {
  projectId: string;
  role: Role;
}

/** Someone, and the roles by which they are given an item. */
export interface Taker {
  actor: MemberActor;
  roles: readonly LockedRole[];
}

/** What was granted, how long its lease is, and whether its project has audits (AU3). */
export type Picked = ReviewerGrant & { seconds: number; hasAudits: boolean };

/** How many of the first waiting items of a project one pick looks at beyond what it takes: more than others can be taking at the same moment. */
const CANDIDATES = 200;
/** Leases that are over, of which the lock store is asked at a time; the others are free when they are noticed. */
const ENDED = 100;

/** Items whose lease is over and was not noticed yet: free only if nobody renewed them in the lock store. */
export function freeAmong(services: Services, projectIds: readonly string[]): Promise<string[]> {
  return endedAmong(services, (em) =>
    em.execute<{ id: string }[]>(
      `select id from item where claim_expires_at <= now() and project_id = any(?::uuid[]) order by claim_expires_at limit ?`,
      [uuidArray(projectIds), ENDED],
    ),
  );
}

/** No live claim, and none that may have been renewed. */
const FREE = `(item.claim_expires_at is null or (item.claim_expires_at <= now() and item.id = any(?::uuid[])))`;

/** Whoever archives a project waits for the roles that are held: asked after those, it is still so at the end. */
const OPEN_PROJECTS = `select p.id from project p where p.id = any(?::uuid[]) and p.archived_at is null`;

interface Wanted {
  roles: readonly LockedRole[];
  free: readonly string[];
  /** Pass over what others are just taking, or wait for it. */
  wait: 'skip locked' | '';
  most: number;
}

/**
 * The first free items, locked, at most so many. Escalated and queued ones are searched for by themselves, and of each only the
 * first of each project are looked at: however many wait, it costs the same.
 */
export async function pick(em: Em, { roles, free, wait, most }: Wanted): Promise<string[]> {
  const all = uuidArray(roles.map(({ projectId }) => projectId));
  const escalated = uuidArray(roles.filter(({ role }) => may(role, 'decide_escalated')).map((one) => one.projectId));
  const ended = uuidArray(free);
  const rows = await em.execute<{ id: string }[]>(
    `with first as (
       select waiting.id from (${OPEN_PROJECTS}) mine cross join lateral (
         select item.id from item where item.project_id = mine.id and item.status = 'escalated' and ${FREE}
         order by item.due_at, item.id limit ?) waiting
       union all
       select waiting.id from (${OPEN_PROJECTS}) mine cross join lateral (
         select item.id from item where item.project_id = mine.id and item.status = 'queued' and ${FREE}
         order by item.due_at, item.id limit ?) waiting
     )
     select item.id from item
     where item.id in (select id from first) and ${FREE}
       and (item.status = 'queued' or (item.status = 'escalated' and item.project_id = any(?::uuid[])))
     order by item.status = 'escalated' desc, item.due_at, item.id limit ? for update of item ${wait}`,
    [escalated, ended, CANDIDATES + most, all, ended, CANDIDATES + most, ended, escalated, most],
  );
  return rows.map(({ id }) => id);
}

/** Hands each picked item to its taker, in one statement: the row is locked and free, so its fence rises and nothing is asked again. */
export async function grantPicked(tx: Tx, pairs: readonly { id: string; taker: Taker }[]): Promise<Picked[]> {
  if (pairs.length === 0) return [];
  const ids = pairs.map(({ id }) => id);
  const leases = await tx.em.execute<{ id: string; seconds: number; audits: boolean }[]>(
    `update item set
       claim_fence = item.claim_fence + 1, version = item.version + 1,
       claimed_by = taker.user_id, claim_expires_at = now() + make_interval(secs => p.claim_lease_seconds)
     from unnest(?::uuid[], ?::uuid[]) taker(item_id, user_id), project p
     where item.id = taker.item_id and p.id = item.project_id
     returning item.id, p.claim_lease_seconds as seconds, ${HAS_AUDITS} as audits`,
    [uuidArray(ids), uuidArray(pairs.map(({ taker }) => taker.actor.userId))],
  );
  const terms = new Map(leases.map((lease) => [lease.id, lease]));
  const items = await tx.em.find(Item, { id: { $in: ids } }, { refresh: true });
  const byId = new Map(items.map((item) => [item.id, item]));
  return pairs.map(({ id, taker }) => {
    const item = byId.get(id) as Item;
    const { role } = taker.roles.find(({ projectId }) => projectId === item.projectId) as LockedRole;
    const expiresAt = item.claimExpiresAt as Date;
    appendClaimed(tx, taker.actor, item);
    const { seconds, audits: hasAudits } = terms.get(id) as { seconds: number; audits: boolean };
    return { item, role, hasAudits, fence: item.claimFence, expiresAt, seconds };
  });
}

/** The fact of a claim that was taken from nobody. */
export function appendClaimed(
  tx: Tx,
  actor: MemberActor,
  item: Pick<Item, 'id' | 'projectId' | 'version' | 'claimExpiresAt'>,
): void {
  const event = { project_id: item.projectId, item_id: item.id, version: item.version, actor: memberRef(actor) };
  tx.appendEvent({ type: 'item.claimed', ...event, expires_at: (item.claimExpiresAt as Date).toISOString() });
}
