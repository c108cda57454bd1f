// How long people take per decision (FL1): for the live team view, and for the reviewer hours of what-if (AN26).
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { RETAINED_SINCE } from '../../db/retention/retained-since.ts';
import { type TimedDecision, median, timesOf } from '../../domain/analytics/team-view.ts';
import type { TimeWindow } from './time-window.ts';

/** The newest decisions show the present speed. */
const DECISIONS = 500;

/** The median, because a break with an open item is not work; of one person, or of all. `seconds` is null without decisions. */
export async function reviewTimeOf(
  em: Em,
  window: TimeWindow & { userId?: string },
): Promise<{ n: number; seconds: number | null }> {
  const times = timesOf(await latestDecisions(em, window, DECISIONS));
  return { n: times.length, seconds: median(times.map(({ seconds }) => seconds)) };
}

/**
 * The latest first decisions of people in the window: a revision takes no review (RV7). They are limited to times of which every item still exists (KE5), each with its claim.
 * Both moments come from the event log, and so from one clock.
 */
export async function latestDecisions(
  em: Em,
  { projectId, from, to, userId }: TimeWindow & { userId?: string },
  limit: number,
): Promise<TimedDecision[]> {
  const rows = await rawQuery<{ user_id: string; decided_at: string | Date; claimed_at: string | Date | null }>(
    em,
    `select d.reviewer_id as user_id, coalesce(e.decided_at, d.decided_at) as decided_at, e.claimed_at from (
       select reviewer_id, item_id, decided_at from decision
       where project_id = $1 and reviewer_id is not null and revision = 1 and decided_at >= $2 and decided_at <= $3${userId === undefined ? '' : ' and reviewer_id = $5'}
         and decided_at > ${RETAINED_SINCE}
       order by decided_at desc limit $4) d
     cross join lateral (
       select max(created_at) filter (where type = 'item.claimed') as claimed_at,
         max(created_at) filter (where type = 'item.decided') as decided_at
       from event where item_id = d.item_id offset 0) e`,
    [projectId, from, to, limit, ...(userId === undefined ? [] : [userId])],
  );
  return rows.map((row) => ({
    userId: row.user_id,
    decidedAt: ms(row.decided_at),
    claimedAt: row.claimed_at === null ? null : ms(row.claimed_at),
  }));
}

const ms = (moment: string | Date): number => new Date(moment).getTime();
