// What the floor is read from: one short question each, by index, over a bounded window.
import type { Flow } from '@countersign/shared/api/floor';
import type { OpenStatus, Role } from '@countersign/shared/words';
import { displayName } from '../../domain/actor.ts';
import type { Made } from '../../domain/floor.ts';
import type { Em } from '../../db/orm.ts';

/** Items in people's hands that are listed, longest held first. */
const LISTED = 500;
/** Decisions that tell how long one takes. */
const SAMPLE = 200;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);
const ms = (moment: string | Date): number => new Date(moment).getTime();

export interface Seat {
  userId: string;
  name: string;
  role: Role;
}

/** The pool, by name. */
export async function seatsOf(em: Em, projectId: string): Promise<Seat[]> {
  const rows = await em.execute<{ user_id: string; role: Role; name: string | null; address: string }[]>(
    `select m.user_id, m.role, u.name, u.address from member m join app_user u on u.id = m.user_id where m.project_id = ?`,
    [projectId],
  );
  const seats = rows.map((row) => ({ userId: row.user_id, name: displayName(row), role: row.role }));
  return seats.sort((a, b) => a.name.localeCompare(b.name) || (a.userId < b.userId ? -1 : 1));
}

export interface Held {
  itemId: string;
  userId: string;
  fence: number;
  preview: string;
  status: OpenStatus;
  since: Date;
  /** As the row has it; the lock store knows of renewals. */
  expiresAt: Date;
}

interface HeldRow {
  id: string;
  claimed_by: string;
  claim_fence: number;
  preview: string;
  status: OpenStatus;
  since: string | Date;
  claim_expires_at: string | Date;
  held: string;
}

/** Who holds what, longest first, and of how many those are. Since when stands in the ledger: the claim is a fact there, a renewal is none. */
export async function heldIn(em: Em, projectId: string): Promise<{ held: Held[]; total: number }> {
  const rows = await em.execute<HeldRow[]>(
    `select i.id, i.claimed_by, i.claim_fence, i.preview, i.status, i.claim_expires_at, c.created_at as since, count(*) over () as held
     from item i cross join lateral (
       select created_at from event where item_id = i.id and type = 'item.claimed' order by position desc limit 1) c
     where i.project_id = ? and i.claimed_by is not null and i.claim_expires_at is not null
     order by c.created_at, i.id limit ${LISTED}`,
    [projectId],
  );
  const held = rows.map((row) => ({
    itemId: row.id,
    userId: row.claimed_by,
    fence: row.claim_fence,
    preview: row.preview,
    status: row.status,
    since: new Date(row.since),
    expiresAt: new Date(row.claim_expires_at),
  }));
  return { held, total: Number(rows[0]?.held ?? 0) };
}

export async function waitingIn(em: Em, projectId: string): Promise<Record<OpenStatus, number>> {
  const rows = await em.execute<{ status: OpenStatus; n: string }[]>(
    `select status, count(*) as n from item where project_id = ? and status in ('queued', 'escalated') group by status`,
    [projectId],
  );
  const counted = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  return { queued: counted.get('queued') ?? 0, escalated: counted.get('escalated') ?? 0 };
}

export interface Arrived {
  /** What came to people in the last quarter of an hour and in the last hour. */
  toPeople: Record<Flow['minutes'], number>;
  /** What routing decided by itself in the last hour, of all that arrived; what was drawn for an audit came to people. */
  alone: { arrived: number; approved: number; rejected: number };
}

/** Of items: those that came to people. What routing ended was decided the moment it arrived. */
const TO_PEOPLE = 'decided_at is distinct from created_at';

export async function arrivedIn(em: Em, projectId: string, now: Date): Promise<Arrived> {
  const rows = await em.execute<Record<'arrived' | 'quarter' | 'hour' | 'approved' | 'rejected', string>[]>(
    `select count(*) as arrived, count(*) filter (where ${TO_PEOPLE}) as hour,
       count(*) filter (where ${TO_PEOPLE} and created_at >= ?) as quarter,
       count(*) filter (where rule = 'RT2' and not audit) as approved,
       count(*) filter (where rule = 'RT4' and decided_at = created_at) as rejected
     from item where project_id = ? and created_at >= ?`,
    [before(now, 15 * MINUTE), projectId, before(now, 60 * MINUTE)],
  );
  const n = (name: keyof (typeof rows)[number]) => Number(rows[0]?.[name] ?? 0);
  return {
    toPeople: { 15: n('quarter'), 60: n('hour') },
    alone: { arrived: n('arrived'), approved: n('approved'), rejected: n('rejected') },
  };
}

export interface Tally {
  last: Date;
  quarter: number;
  hour: number;
}

/** What each person decided in the last quarter of an hour and in the last hour, and when last in the last day. */
export async function decidedIn(em: Em, projectId: string, now: Date): Promise<Map<string, Tally>> {
  const rows = await em.execute<{ reviewer_id: string; last: string | Date; quarter: string; hour: string }[]>(
    `select reviewer_id, max(decided_at) as last, count(*) filter (where decided_at >= ?) as quarter,
       count(*) filter (where decided_at >= ?) as hour
     from decision where project_id = ? and reviewer_id is not null and decided_at >= ? group by reviewer_id`,
    [before(now, 15 * MINUTE), before(now, 60 * MINUTE), projectId, before(now, DAY)],
  );
  return new Map(
    rows.map((row) => [
      row.reviewer_id,
      { last: new Date(row.last), quarter: Number(row.quarter), hour: Number(row.hour) },
    ]),
  );
}

/** The latest decisions of people in the last day, each with its claim; both moments as the ledger has them, by one clock. */
export async function latestMade(em: Em, projectId: string, now: Date): Promise<Made[]> {
  const rows = await em.execute<{ user_id: string; decided_at: string | Date; claimed_at: string | Date | null }[]>(
    `select d.reviewer_id as user_id, coalesce(e.decided_at, d.decided_at) as decided_at, e.claimed_at from (
       select reviewer_id, item_id, decided_at from decision
       where project_id = ? and reviewer_id is not null and decided_at >= ? order by decided_at desc limit ${SAMPLE}) d
     cross join lateral (
       select max(created_at) filter (where type = 'item.claimed') as claimed_at,
         max(created_at) filter (where type = 'item.decided') as decided_at
       from event where item_id = d.item_id) e`,
    [projectId, before(now, DAY)],
  );
  return rows.map((row) => ({
    userId: row.user_id,
    decidedAt: ms(row.decided_at),
    claimedAt: row.claimed_at === null ? null : ms(row.claimed_at),
  }));
}
