// Picks the first free items of a queue and grants them to those who asked.
import { memberRef } from '../../domain/access/actor.ts';
import { may } from '../../domain/access/permissions.ts';
import type { Tx } from '../../db/database.ts';
import { Item } from '../../db/entities/item.ts';
import { HAS_AUDITS } from '../../db/audits/has-audits.ts';
import type { Em } from '../../db/orm.ts';
import type { LockedRole } from '../access/membership.ts';
import { endedAmong, type EndedLease, uuidArray } from './claim-limit.ts';
import type { ReviewerGrant } from './claim-row.ts';
import type { MemberActor, Services } from '../services.ts';

/** A person, and the locked roles by which they may have an item. */
export interface Taker {
  actor: MemberActor;
  roles: readonly LockedRole[];
}

/** A granted item with the length of its lease, whether its project has audits (AU3), and the text of its schema (TS). */
export type Picked = ReviewerGrant & { seconds: number; hasAudits: boolean; answerSchema: string | null };

/** How many waiting items of a project one pick examines beyond those it takes: more than concurrent picks can have locked. */
const CANDIDATES = 200;
/**
 * The lock store is asked about at most this many ended leases at a time; the others are found when they are marked as expired.
 */
const ENDED = 100;

/** Items whose lease has ended but is not marked as expired: free only if nobody renewed it in the lock store. */
export function freeAmong(services: Services, projectIds: readonly string[]): Promise<string[]> {
  return endedAmong(services, (em) =>
    em.execute<EndedLease[]>(
      `select id, claimed_by, claim_fence from item where claim_expires_at <= now() and project_id = any(?::uuid[]) order by claim_expires_at limit ?`,
      [uuidArray(projectIds), ENDED],
    ),
  );
}

/**
 * No live claim, and none that may have been renewed; nor one that its deadline is about to end (DL3). Without the subselect, the
 * clock would be called for every row.
 */
const FREE = `((item.claim_expires_at is null or (item.claim_expires_at <= now() and item.id = any(?::uuid[])))
  and (item.deadline is null or item.on_deadline = 'escalate' or item.deadline > (select deadline_clock())))`;

/** Archiving a project waits for locked roles: checked after those, the project stays open until the transaction ends. */
const OPEN_PROJECTS = `select p.id from project p where p.id = any(?::uuid[]) and p.archived_at is null`;

interface Wanted {
  roles: readonly LockedRole[];
  free: readonly string[];
  /** Locks the items, and skips those that others have locked; otherwise only finds them. */
  lock: boolean;
  most: number;
}

/** SK4: the clock that ends reservations, read once. */
const CLOCK = '(select deadline_clock())';

/** The entries for which items of the project `mine` wait, also those that the settings no longer have. */
const WAITING_FOR = `with recursive waiting_for (skill) as (
    select min(reserved_for) from item where project_id = mine.id and status = 'queued' and reserved_for is not null
    union all
    select (select min(i.reserved_for) from item i where i.project_id = mine.id and i.status = 'queued' and i.reserved_for > waiting_for.skill)
    from waiting_for where waiting_for.skill is not null
  ) select skill from waiting_for where skill is not null`;

/** SK2: whether the entry `named.skill` of the project `mine` has people who are members, and not blocked. */
const HAS_PEOPLE = `exists (select 1 from skill s join member m on m.project_id = s.project_id and m.user_id = any(s.people)
  join app_user u on u.id = m.user_id and u.blocked_at is null where s.project_id = mine.id and s.skill = named.skill)`;

/** The first free items of a project, of those that `which` selects. */
const firstOf = (which: string): string => `cross join lateral (
  select item.id from item where item.project_id = mine.id and ${which} and ${FREE} order by item.due_at, item.id limit ?) waiting`;

/** Items that are reserved for the person, and those that were reserved and are for everybody by now. */
const RESERVED = `
  union all
  select waiting.id from own join (${OPEN_PROJECTS}) mine on mine.id = own.id
    ${firstOf(`item.status = 'queued' and item.reserved_for = own.skill and item.reserved_until > ${CLOCK}`)}
  union all
  select waiting.id from (${OPEN_PROJECTS}) mine cross join lateral (${WAITING_FOR}) named
    cross join lateral (select case when ${HAS_PEOPLE} then ${CLOCK} else 'infinity' end as at) ended
    ${firstOf(`item.status = 'queued' and item.reserved_for = named.skill and item.reserved_until <= ended.at`)}`;

/** Whether an item is reserved for the person. */
const IS_OWN = `coalesce(item.status = 'queued' and item.reserved_until > ${CLOCK}
  and (item.project_id, item.reserved_for) in (select id, skill from own), false)`;

/**
 * The first free items, at most `most`. Escalated, reserved and other queued ones are searched separately, and only the rows
 * of the first of each are read, so that the cost does not depend on the length of the queue. They are read by their ids: for a
 * join with a short queue the database reads an index of all waiting items again, with every dead entry that an old transaction
 * retains. Where many reservations of an entry have passed, the search for those that still hold passes their entries in the index.
 */
export async function pick(em: Em, { roles, free, lock, most }: Wanted): Promise<string[]> {
  const all = uuidArray(roles.map(({ projectId }) => projectId));
  const escalated = uuidArray(roles.filter(({ role }) => may(role, 'decide_escalated')).map((one) => one.projectId));
  const own = roles.flatMap(({ projectId, skills }) => skills.map((skill) => ({ id: projectId, skill })));
  const ended = uuidArray(free);
  const first = [ended, CANDIDATES + most];
  // Most projects reserve nothing: the database plans the search for reserved items only where there are some.
  const hasReserved = roles.some((role) => role.hasReserved);
  const rows = await em.execute<{ id: string }[]>(
    `with ${hasReserved ? 'own as (select id, skill from json_to_recordset(?::json) as o(id uuid, skill text)), ' : ''}first as (
       select waiting.id from (${OPEN_PROJECTS}) mine ${firstOf(`item.status = 'escalated'`)}
       union all
       select waiting.id from (${OPEN_PROJECTS}) mine ${firstOf(`item.status = 'queued' and item.reserved_for is null`)}
       ${hasReserved ? RESERVED : ''}
     )
     select item.id from item
     where item.id = any(array(select id from first)) and ${FREE}
       and (item.status = 'queued' or (item.status = 'escalated' and item.project_id = any(?::uuid[])))
     order by item.status = 'escalated' desc, ${hasReserved ? `${IS_OWN} desc,` : ''} item.due_at, item.id
     limit ? ${lock ? 'for update of item skip locked' : ''}`,
    [
      ...(hasReserved ? [JSON.stringify(own)] : []),
      ...[escalated, ...first, all, ...first],
      ...(hasReserved ? [all, ...first, all, ...first] : []),
      ...[ended, escalated, most],
    ],
  );
  return rows.map(({ id }) => id);
}

/**
 * Grants each picked item to its taker, in one statement: the row is locked and free, so its fence rises without further checks.
 */
export async function grantPicked(tx: Tx, pairs: readonly { id: string; taker: Taker }[]): Promise<Picked[]> {
  if (pairs.length === 0) return [];
  const ids = pairs.map(({ id }) => id);
  const leases = await tx.em.execute<{ id: string; seconds: number; audits: boolean; answer_schema: string | null }[]>(
    `update item set
       claim_fence = item.claim_fence + 1, version = item.version + 1,
       claimed_by = taker.user_id, claim_expires_at = now() + make_interval(secs => p.claim_lease_seconds)
     from unnest(?::uuid[], ?::uuid[]) taker(item_id, user_id), project p
     where item.id = taker.item_id and p.id = item.project_id
     returning item.id, p.claim_lease_seconds as seconds, ${HAS_AUDITS} as audits,
       (select s.text from answer_schema s where s.project_id = item.project_id and s.digest = item.answer_schema) as answer_schema`,
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
    const { seconds, audits: hasAudits, answer_schema: answerSchema } = terms.get(id) as (typeof leases)[number];
    return { item, role, hasAudits, answerSchema, fence: item.claimFence, expiresAt, seconds };
  });
}

/** Appends the event of a claim that is not a take-over. */
export function appendClaimed(
  tx: Tx,
  actor: MemberActor,
  item: Pick<Item, 'id' | 'projectId' | 'version' | 'claimExpiresAt'>,
): void {
  const event = { project_id: item.projectId, item_id: item.id, version: item.version, actor: memberRef(actor) };
  tx.appendEvent({ type: 'item.claimed', ...event, expires_at: (item.claimExpiresAt as Date).toISOString() });
}
