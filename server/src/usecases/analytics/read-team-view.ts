// Reads the live team view of supervisors: who holds what and for how long, review times, and when the queue will be empty (FL).
import type { TeamView, Holding, TeamMember } from '@countersign/shared/api/team';
import { type Figures, withFigures } from '../../analytics/read-rollups.ts';
import { drainOf, IDLE_AFTER, median, stuckAfter, timesOf } from '../../domain/analytics/team-view.ts';
import type { Em } from '../../db/orm.ts';
import type { Holder } from '../../claims/claim-lock.ts';
import { lockHolders } from '../claims/claim-store.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import {
  arrivedIn,
  decidedIn,
  claimedItemsIn,
  lastDecided,
  teamOf,
  waitingIn,
  type ClaimedItem,
} from './team-view-rows.ts';
import { latestDecisions } from './review-time.ts';

/** How many decisions of the last day give the review time (FL1). */
const SAMPLE = 200;
const DAY = 24 * 60 * 60_000;

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
    drain: drainOf(rows.waiting.queued + rows.waiting.escalated, flows),
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
    decisions: await latestDecisions(em, { projectId, from: new Date(now.getTime() - DAY), to: now }, SAMPLE),
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

function holdingOf({ itemId, userId, fence, preview, status, since, expiresAt }: ClaimedItem, lock?: Holder): Holding {
  const renewed = lock?.userId === userId && lock.fence === fence ? lock.expiresAt : expiresAt;
  return { item_id: itemId, preview, status, since: since.toISOString(), expires_at: renewed.toISOString() };
}
