// Reads what one member did in a project (PF1): decisions, overrides, pace, audits, days and hours.
import type { PersonFigures } from '@countersign/shared/schemas/team';
import { OVERTURNED_DAYS } from '@countersign/shared/limits';
import { JUDGING_ACTIONS, OVERRIDE_ACTIONS } from '@countersign/shared/review-actions';
import { wilson } from '@countersign/shared/statistics/statistics';
import { withFigures, type Figures } from '../../analytics/read-rollups.ts';
import { inList } from '../../db/in-list.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { displayName } from '../../domain/access/actor.ts';
import { may } from '../../domain/access/permissions.ts';
import { bucketsOf } from '../../domain/analytics/calendar.ts';
import { byDayAndHour, everybodyIn, type HourFigure } from '../../domain/analytics/person.ts';
import { type Figure, workloadOf } from '../../domain/analytics/report.ts';
import { notFound, refuseUnless, roleIn } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { OVERTURNED_HERE } from './read-own-figures.ts';
import { reviewTimeOf } from './review-time.ts';
import { badWindow, monthWindow, wholeMinutes, type TimeWindow, type WindowQuery } from './time-window.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Every hour of the window is read. */
const MOST_DAYS = 62;
const WRONG = `action in (${inList(OVERRIDE_ACTIONS)})`;

interface PersonQuery extends WindowQuery {
  userId: string;
}

/** Errors: `not_found` (also for someone who is not a member), `forbidden`, `validation_failed` (an empty or long window). */
export function readPerson(services: Services, actor: MemberActor, query: PersonQuery): Promise<PersonFigures> {
  const { projectId, userId } = query;
  return services.db.read(async (em) => {
    const role = await roleIn(em, actor.userId, projectId);
    const seesAll = may(role, 'see_analytics');
    if (userId !== actor.userId) refuseUnless(role, 'see_analytics');
    const now = services.clock.now();
    const window = wholeMinutes(monthWindow(query, now));
    if (window.to.getTime() - window.from.getTime() > MOST_DAYS * DAY_MS)
      throw badWindow('#/from', `Choose a window of at most ${MOST_DAYS} days.`);
    const { timeZone } = await em.findOneOrFail(Project, { id: projectId });
    const member = await memberIn(em, { projectId, userId });
    return withFigures(em, projectId, async (figures, moment) => {
      const asked = { window, userId, timeZone };
      const [whole = []] = await figures.over(
        [{ low: window.from.getTime(), high: window.to.getTime() }],
        ['reviewer', 'mover', 'claimer'],
      );
      const holding = await holdingOf(moment, { projectId, userId });
      const [own] = workloadOf(whole, [{ userId, name: member.name, holding }]);
      if (own === undefined) throw new Error('One person was asked for.');
      return {
        from: window.from.toISOString(),
        to: window.to.toISOString(),
        server_time: now.toISOString(),
        time_zone: timeZone,
        ...own,
        role: member.role,
        overturned: await overturnedOf(moment, { projectId, userId, now }),
        pace: await reviewTimeOf(moment, { ...window, userId }),
        ...(await timesIn(figures, asked)),
        ...(seesAll ? await comparisonOf(moment, { ...window, userId }, whole) : { audits: null, team: null }),
      };
    });
  });
}

async function memberIn(em: Em, who: { projectId: string; userId: string }) {
  const member = await em.findOne(Member, who);
  const user = member && (await em.findOne(User, { id: who.userId }));
  if (!member || !user) throw notFound();
  return { role: member.role, name: displayName({ address: user.address, name: user.name ?? null }) };
}

async function holdingOf(em: Em, { projectId, userId }: { projectId: string; userId: string }): Promise<number> {
  const [row] = await rawQuery<{ n: number }>(
    em,
    'select count(*)::int as n from item where project_id = $1 and claimed_by = $2 and claim_expires_at is not null',
    [projectId, userId],
  );
  return row?.n ?? 0;
}

async function overturnedOf(em: Em, { projectId, userId, now }: { projectId: string; userId: string; now: Date }) {
  const since = new Date(now.getTime() - OVERTURNED_DAYS * DAY_MS);
  const rows = await em.execute<{ n: string }[]>(OVERTURNED_HERE, [userId, since, since, projectId]);
  return Number(rows[0]?.n);
}

/** What only those who may see analytics are shown (AU3). */
async function comparisonOf(
  em: Em,
  asked: TimeWindow & { userId: string },
  whole: readonly Figure[],
): Promise<Pick<PersonFigures, 'audits' | 'team'>> {
  const { projectId, from, to } = asked;
  const { own, all } = await verdictsOf(em, asked);
  const pace = await reviewTimeOf(em, { projectId, from, to });
  return { audits: own, team: { ...everybodyIn(whole), pace, audits: all } };
}

/**
 * Verdicts on items drawn for an audit (AU1): their own, and those of all members. A revision of one is another person's verdict
 * (RV6), and who ended an item without an answer judged nothing (AU4).
 */
async function verdictsOf(em: Em, { projectId, from, to, userId }: TimeWindow & { userId: string }) {
  const [row] = await rawQuery<Record<'own' | 'own_wrong' | 'every' | 'every_wrong', number>>(
    em,
    `select count(*)::int as every, (count(*) filter (where ${WRONG}))::int as every_wrong,
       (count(*) filter (where reviewer_id = $2))::int as own,
       (count(*) filter (where reviewer_id = $2 and ${WRONG}))::int as own_wrong
     from decision where project_id = $1 and audit and decided_at >= $3 and decided_at < $4
       and action in (${inList(JUDGING_ACTIONS)})`,
    [projectId, userId, from, to],
  );
  const judged = (decided = 0, overridden = 0) => ({ decided, overridden, interval: wilson(overridden, decided) });
  return { own: judged(row?.own, row?.own_wrong), all: judged(row?.every, row?.every_wrong) };
}

/** Their decisions per day, and by hour of the day, in the project's time zone. */
async function timesIn(
  figures: Figures,
  { window, userId, timeZone }: { window: TimeWindow; userId: string; timeZone: string },
): Promise<Pick<PersonFigures, 'days' | 'hours'>> {
  const span = { from: window.from.getTime(), to: window.to.getTime() };
  const starts = bucketsOf(span, 'hour', timeZone);
  const stretches = starts.map((start, at) => ({
    low: Math.max(start, span.from),
    high: Math.min(starts[at + 1] ?? span.to, span.to),
  }));
  const sums = await figures.over(stretches, ['reviewer']);
  const hours = starts.map((start, at): HourFigure => {
    const own = sums[at]?.find(({ key }) => key === userId);
    return { start, decided: own?.n ?? 0, overridden: own?.part ?? 0 };
  });
  return byDayAndHour(hours, bucketsOf(span, 'day', timeZone), timeZone);
}
