// Reads the live team view (FL): who holds what and for how long, review times, and when the queue will be empty.
import type { TeamView, Holding, TeamMember } from '@countersign/shared/schemas/team';
import { OPEN_STATUSES, type OpenStatus, type Role } from '@countersign/shared/enums';
import { waitingOf, type RoutedAlone } from '@countersign/shared/figures';
import { type Figures, withFigures, EVER } from '../../analytics/read-rollups.ts';
import { drainOf, IDLE_AFTER, median, stuckAfter, timesOf, type TimedFlow } from '../../domain/analytics/team-view.ts';
import type { Em } from '../../db/orm.ts';
import { isSameClaim } from '../../claims/claim-lock.ts';
import { type HeldUntil, lockHolders } from '../claims/claim-store.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { latestDecisions } from './review-time.ts';
import { displayName } from '../../domain/access/actor.ts';
import { enteredQueue, countsOf, QUEUE_MEASURES, sumOf } from '../../domain/analytics/report.ts';

/** How many decisions of the last day give the review time (FL1). */
const SAMPLE = 200;

/** Errors: `not_found`, `forbidden`. */
export async function readTeamView(services: Services, actor: MemberActor, projectId: string): Promise<TeamView> {
  const now = services.clock.now();
  const rows = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_analytics');
    return withFigures(em, projectId, (figures, moment) => readRows(figures, moment, { projectId, now }));
  });
  const { held, total } = rows.holdings;
  const locks = await lockHolders(
    services,
    held.map(({ itemId }) => itemId),
  );
  const times = timesOf(rows.decisions);
  const usual = median(times.map(({ seconds }) => seconds));
  const { flows, alone } = rows.arrived;
  return {
    server_time: now.toISOString(),
    waiting: rows.waiting,
    flow: flows.map(({ seconds: _seconds, ...flow }) => flow),
    drain: drainOf(waitingOf(rows.waiting), flows),
    automatic_last_hour: alone,
    median: { seconds: usual, n: times.length },
    stuck_after_seconds: stuckAfter(usual),
    idle_after_seconds: IDLE_AFTER,
    people: rows.members.map(({ userId, name, role }): TeamMember => ({
      user_id: userId,
      name,
      role,
      holding: held.filter((each) => each.userId === userId).map((each) => holdingOf(each, locks.get(each.itemId))),
      last_decided_at: lastOf(userId, rows)?.toISOString() ?? null,
      decided_last_hour: rows.decided.get(userId) ?? 0,
      median_seconds: median(times.filter((time) => time.userId === userId).map(({ seconds }) => seconds)),
    })),
    more_held: total - held.length,
  };
}

/** The queries run one after the other on one connection, so that a page takes no more of the pool. */
async function readRows(figures: Figures, em: Em, { projectId, now }: { projectId: string; now: Date }) {
  return {
    members: await teamOf(em, projectId),
    holdings: await claimedItemsIn(em, projectId),
    waiting: await waitingIn(figures),
    arrived: await arrivedIn(figures, em, { projectId, now }),
    decided: await decidedIn(figures, now),
    last: await lastDecided(em, projectId, now),
    decisions: await latestDecisions(em, { projectId, from: new Date(now.getTime() - DAY_MS), to: now }, SAMPLE),
  };
}

/**
 * Exact when it is among everybody's latest decisions, otherwise to the minute: a
 * person who has not decided for that long is idle anyway.
 */
function lastOf(userId: string, { decisions, last }: Pick<Awaited<ReturnType<typeof readRows>>, 'decisions' | 'last'>) {
  const newest = Math.max(...decisions.filter((one) => one.userId === userId).map(({ decidedAt }) => decidedAt));
  return Number.isFinite(newest) ? new Date(newest) : last.get(userId);
}

function holdingOf(
  { itemId, userId, fence, preview, title, status, since, expiresAt }: ClaimedItem,
  lock?: HeldUntil,
): Holding {
  const renewed = lock !== undefined && isSameClaim(lock, { userId, fence }) ? lock.expiresAt : expiresAt;
  return { item_id: itemId, preview, title, status, since: since.toISOString(), expires_at: renewed.toISOString() };
}

/** The maximum number of held items that are listed, longest held first. */
const LISTED = 500;
const MINUTE = 60_000;
const DAY_MS = 24 * 60 * MINUTE;
/** FL4: the lengths of the windows, in minutes. */
const WINDOWS = [15, 60] as const;

/** When a window of so many minutes begins: at a whole minute (AN6). In ms. */
const begin = (now: Date, minutes: number): number => (Math.floor(now.getTime() / MINUTE) - minutes) * MINUTE;

interface MemberRow {
  userId: string;
  name: string;
  role: Role;
}

/** The members, by name. */
async function teamOf(em: Em, projectId: string): Promise<MemberRow[]> {
  const rows = await em.execute<{ user_id: string; role: Role; name: string | null; address: string }[]>(
    `select m.user_id, m.role, u.name, u.address from member m join app_user u on u.id = m.user_id where m.project_id = ?`,
    [projectId],
  );
  const members = rows.map((row) => ({ userId: row.user_id, name: displayName(row), role: row.role }));
  return members.sort((a, b) => a.name.localeCompare(b.name) || (a.userId < b.userId ? -1 : 1));
}

interface ClaimedItem {
  itemId: string;
  userId: string;
  fence: number;
  preview: string;
  title: string | null;
  status: OpenStatus;
  since: Date;
  /** From the row; the lock store may have a later time after renewals. */
  expiresAt: Date;
}

interface ClaimedItemRow {
  id: string;
  claimed_by: string;
  claim_fence: number;
  preview: string;
  title: string | null;
  status: OpenStatus;
  since: string | Date;
  claim_expires_at: string | Date;
  held: string;
}

/**
 * The held items, longest first, and their total. The start comes from the
 * event log, where a claim is an event and a renewal is not.
 */
async function claimedItemsIn(em: Em, projectId: string): Promise<{ held: ClaimedItem[]; total: number }> {
  const rows = await em.execute<ClaimedItemRow[]>(
    `select i.id, i.claimed_by, i.claim_fence, i.preview, i.title, i.status, i.claim_expires_at, c.created_at as since, count(*) over () as held
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
    title: row.title,
    status: row.status,
    since: new Date(row.since),
    expiresAt: new Date(row.claim_expires_at),
  }));
  return { held, total: Number(rows[0]?.held ?? 0) };
}

/** What waits now: the sum of all changes. */
async function waitingIn(figures: Figures): Promise<Record<OpenStatus, number>> {
  const [ever = []] = await figures.over([{ low: 0, high: EVER }], ['waiting']);
  return countsOf(ever, 'waiting', OPEN_STATUSES);
}

interface Arrived {
  /** How many items entered the queue and were decided in the last quarter of an hour and in the last hour. */
  flows: TimedFlow[];
  /** What routing decided automatically in the last hour, of all arrivals (AN34). */
  alone: RoutedAlone & { arrived: number };
}

/** In whole minutes (AN6), from the rollups, so that the cost does not depend on the number of arrivals. */
async function arrivedIn(figures: Figures, em: Em, of: { projectId: string; now: Date }): Promise<Arrived> {
  const lows = WINDOWS.map((minutes) => begin(of.now, minutes));
  const stretches = lows.map((low) => ({ low, high: EVER }));
  const sums = await figures.over(stretches, ['arrived', ...QUEUE_MEASURES]);
  const flows = WINDOWS.map((minutes, at): TimedFlow => {
    const sum = sums[at] ?? [];
    const [arrived, decided] = [enteredQueue(sum), sumOf(sum, 'decided', 'verdict')];
    return { minutes, arrived, decided, seconds: (of.now.getTime() - (lows[at] ?? NaN)) / 1000 };
  });
  const hour = sums[1] ?? [];
  const routed = countsOf(hour, 'arrived', ['auto_approved', 'rejected']);
  const drawn = await drawnIn(em, of.projectId, new Date(lows[1] ?? NaN));
  const alone = {
    arrived: sumOf(hour, 'arrived'),
    approved: routed.auto_approved,
    rejected: routed.rejected,
    audited: Math.min(drawn, routed.auto_approved),
  };
  return { flows, alone };
}

/** A small part of the arrivals (AU1), with its own index. */
async function drawnIn(em: Em, projectId: string, from: Date): Promise<number> {
  const [row] = await em.execute<{ n: string }[]>(
    'select count(*) as n from item where project_id = ? and audit and created_at >= ?',
    [projectId, from],
  );
  return Number(row?.n);
}

/** How many items each person decided in the last hour. */
async function decidedIn(figures: Figures, now: Date): Promise<Map<string, number>> {
  const [hour = []] = await figures.over([{ low: begin(now, 60), high: EVER }], ['reviewer']);
  return new Map(hour.map(({ key, n }) => [key, n]));
}

/** The minute of each person's last decision in the last day, as far as it is counted: at most one row per person and minute. */
async function lastDecided(em: Em, projectId: string, now: Date): Promise<Map<string, Date>> {
  const rows = await em.execute<{ key: string; at: string | Date }[]>(
    `select key, max(at) as at from rollup
     where project_id = ? and measure = 'reviewer' and grain = 'minute' and at >= ? and n > 0 group by key`,
    [projectId, new Date(now.getTime() - DAY_MS)],
  );
  return new Map(rows.map(({ key, at }) => [key, new Date(at)]));
}
