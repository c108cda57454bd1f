// Reads a person's own figures in all their projects: decided today, in the last hour, and overturned (OF1).
import { OVERTURNED_DAYS } from '@countersign/shared/limits';
import type { OwnFigures } from '@countersign/shared/schemas/mistakes';
import { REVIEWER_DECISIONS, type ReviewerDecision } from '@countersign/shared/review-actions';
import { bucketsOf } from '../../domain/analytics/calendar.ts';
import type { MemberActor, Services } from '../services.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** An undone decision has no row, so it is counted nowhere. A revision is no review of an item (RV7). */
export const DECIDED = `
  select action, count(*) filter (where decided_at >= ?) as today, count(*) filter (where decided_at >= ?) as last_hour,
    count(*) as all_days
  from decision where reviewer_id = ? and revision = 1 and decided_at >= ? group by action`;

/** A decision is reported after it was made, so that its index by the time of the report bounds the search. */
export const OVERTURNED = `
  select count(*) as n from mistake_report r join decision d on d.id = r.decision_id
  where r.decided_by = ? and r.overturned and r.reported_at >= ? and d.decided_at >= ?`;

/** The same in one project. */
export const OVERTURNED_HERE = `${OVERTURNED} and d.project_id = ?`;

type DecidedRow = { action: ReviewerDecision } & Record<'today' | 'last_hour' | 'all_days', string>;

/** `timeZone`: an IANA name; the day begins at its midnight. Errors: `RangeError` for an unknown zone. */
export async function readOwnFigures(
  services: Services,
  { userId }: Pick<MemberActor, 'userId'>,
  timeZone: string,
): Promise<OwnFigures> {
  const now = services.clock.now().getTime();
  const [midnight = now] = bucketsOf({ from: now, to: now + 1 }, 'day', timeZone);
  const since = new Date(now - OVERTURNED_DAYS * DAY_MS);
  const { rows, overturned } = await services.db.read(async (em) => ({
    rows: await em.execute<DecidedRow[]>(DECIDED, [new Date(midnight), new Date(now - HOUR_MS), userId, since]),
    overturned: await em.execute<{ n: string }[]>(OVERTURNED, [userId, since, since]),
  }));
  const sum = (of: 'today' | 'last_hour' | 'all_days') => rows.reduce((total, row) => total + Number(row[of]), 0);
  const decidedToday = (action: ReviewerDecision) => Number(rows.find((row) => row.action === action)?.today ?? 0);
  const byAction = REVIEWER_DECISIONS.map((action) => [action, decidedToday(action)]);
  return {
    today: { decided: sum('today'), by_action: Object.fromEntries(byAction) as OwnFigures['today']['by_action'] },
    last_hour: sum('last_hour'),
    last_30_days: { decided: sum('all_days'), overturned: Number(overturned[0]?.n) },
  };
}
