// Reads the analytics of queue, people, model and webhook from the rollups, at the same cost for any window.
import type { Analytics } from '@countersign/shared/schemas/analytics';
import { ITEM_STATUSES, OPEN_STATUSES, type OpenStatus } from '@countersign/shared/enums';
import { waitingOf } from '@countersign/shared/figures';
import { COUNT_LIMIT, SAMPLE_SIZE } from '@countersign/shared/limits';
import { wilson } from '@countersign/shared/statistics/statistics';
import { EVER, type Figures, withFigures } from '../../analytics/read-rollups.ts';
import { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { CONTENT_SINCE } from '../../db/retention/retained-since.ts';
import { OLDEST_RETRYING, RETRYING } from '../../db/retrying-deliveries.ts';
import { displayName } from '../../domain/access/actor.ts';
import {
  auditsOf,
  enteredQueue,
  GROUPS,
  countsOf,
  deliveriesOf,
  overriddenIn,
  QUEUE_MEASURES,
  shippedMix,
  type Figure,
  expiriesOf,
  sharesOf,
  sumOf,
  timesOf,
  workloadOf,
} from '../../domain/analytics/report.ts';
import { DELIVERY_OUTCOMES, type Measure, MEASURES } from '../../domain/analytics/rollup.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { bucketsOf, type Bucket } from '../../domain/analytics/calendar.ts';
import { badWindow, timeWindow, type WindowQuery, wholeMinutes } from './time-window.ts';
import { REVIEWER_DECISIONS } from '@countersign/shared/review-actions';

/** Errors: `not_found`, `forbidden`, `validation_failed` (an empty window, or too many buckets). */
export function readAnalytics(services: Services, actor: MemberActor, query: AnalyticsQuery): Promise<Analytics> {
  const { projectId } = query;
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_analytics');
    const now = services.clock.now();
    const { timeZone } = await em.findOneOrFail(Project, { id: projectId });
    const window = windowOf(query, timeZone, now);
    return withFigures(em, projectId, async (figures, moment) => {
      const [whole = []] = await figures.over([{ low: window.from, high: window.to }], ALL);
      return {
        from: new Date(window.from).toISOString(),
        to: new Date(window.to).toISOString(),
        bucket: window.bucket,
        time_zone: timeZone,
        server_time: now.toISOString(),
        counted: figures.counted,
        ...(await queueNow(moment, projectId, now)),
        ...(await flowOf(figures, window)),
        ...totalsOf(whole, await auditsWaiting(moment, { projectId, ...window }), await retryingOf(moment, projectId)),
        workload: workloadOf(whole, await peopleOf(moment, projectId, whole)),
        expired: expiriesOf(whole),
        ...(await invalidOf(moment, { projectId, ...window })),
      };
    });
  });
}

const ALL = Object.keys(MEASURES) as Measure[];
const ROUTED = ['auto_approved', 'queued', 'escalated', 'rejected'] as const;

function totalsOf(
  whole: readonly Figure[],
  waiting: Record<OpenStatus, number>,
  retrying: Pick<Analytics['webhook'], 'retrying' | 'oldest_retrying_at'>,
) {
  const byAction = countsOf(whole, 'decided', REVIEWER_DECISIONS);
  return {
    mix: shippedMix(countsOf(whole, 'status', ITEM_STATUSES), waiting),
    routing: countsOf(whole, 'arrived', ROUTED),
    arrived: sumOf(whole, 'arrived'),
    enqueued: enteredQueue(whole),
    decided: sumOf(whole, 'decided', 'verdict'),
    by_action: byAction,
    overridden: overriddenIn(whole, 'decided'),
    audits: { ...auditsOf(whole), waiting: waitingOf(waiting) },
    time_to_decision: timesOf(whole, 'decide_time'),
    time_to_claim: timesOf(whole, 'claim_time'),
    overrides: {
      by_flag: sharesOf(whole, 'flag'),
      by_model: sharesOf(whole, 'model'),
      by_source: sharesOf(whole, 'source'),
    },
    webhook: {
      ...countsOf(whole, 'delivery', DELIVERY_OUTCOMES),
      deliveries: deliveriesOf(whole),
      time_to_deliver: timesOf(whole, 'deliver_time'),
      ...retrying,
    },
  };
}

/** Every bucket of the window, and what waits now. What waited at the end of a bucket is the sum of all changes until then. */
async function flowOf(figures: Figures, { from, to, starts }: Window): Promise<Pick<Analytics, 'flow' | 'waiting'>> {
  const levels = await figures.over(
    [
      { low: 0, high: from },
      { low: 0, high: EVER },
    ],
    ['waiting'],
  );
  const [before, now] = levels.map((level) => countsOf(level, 'waiting', OPEN_STATUSES));
  if (before === undefined || now === undefined) throw new Error('Two periods were requested.');
  const buckets = starts.map((start, index) => ({
    low: Math.max(start, from),
    high: Math.min(starts[index + 1] ?? to, to),
  }));
  const sums = await figures.over(buckets, ['arrived', 'decide_time', ...QUEUE_MEASURES]);
  const flow = sums.map((bucket, index) => {
    const change = countsOf(bucket, 'waiting', OPEN_STATUSES);
    before.queued += change.queued;
    before.escalated += change.escalated;
    return {
      at: new Date(starts[index] ?? from).toISOString(),
      arrived: sumOf(bucket, 'arrived'),
      enqueued: enteredQueue(bucket),
      decided: sumOf(bucket, 'decided', 'verdict'),
      waiting: before.queued + before.escalated,
      ...before,
      time: timesOf(bucket, 'decide_time'),
    };
  });
  return { flow, waiting: now };
}

/** Everybody who acted in the window, and how many items they hold now. */
async function peopleOf(em: Em, projectId: string, whole: readonly Figure[]) {
  const working: Measure[] = ['reviewer', 'mover', 'claimer'];
  const ids = new Set(whole.filter(({ measure, n }) => working.includes(measure) && n !== 0).map(({ key }) => key));
  if (ids.size === 0) return [];
  const rows = await rawQuery<{ id: string; name: string | null; address: string; holding: string }>(
    em,
    `select u.id, u.name, u.address, coalesce(h.items, 0) as holding
     from json_array_elements_text($2::json) as w(id) join app_user u on u.id = w.id::uuid
     left join (select claimed_by, count(*) as items from item where project_id = $1 and claim_expires_at is not null group by 1) h
       on h.claimed_by = u.id`,
    [projectId, JSON.stringify([...ids])],
  );
  return rows.map((row) => ({ userId: row.id, name: displayName(row), holding: Number(row.holding) }));
}

const INVALID = `
  select i.model, count(*)::int as judged, (count(*) filter (where i.suggestion_faults is not null))::int as invalid
  from (select model, answer_schema, suggestion_faults, has_suggestion from item
      where project_id = $1 and created_at >= $2 and created_at < $3 and created_at > coalesce($4::timestamptz, '-infinity')
      order by created_at desc, id desc limit ${SAMPLE_SIZE}) i
  where i.answer_schema is not null and i.has_suggestion
  group by 1 order by 2 desc, 1 limit ${GROUPS}`;

/** AN31: how many suggestions did not satisfy their schema, by model, most judged first, and since when they are counted. */
async function invalidOf(
  em: Em,
  { projectId, from, to }: { projectId: string; from: number; to: number },
): Promise<Pick<Analytics, 'invalid' | 'invalid_since'>> {
  const [row] = await rawQuery<{ since: string | Date | null }>(
    em,
    `select nullif(${CONTENT_SINCE}, '-infinity') as since`,
    [projectId],
  );
  // Null reads as 1970, before any window.
  const content = new Date(row?.since ?? 0);
  const since = content.getTime() >= from ? content : null;
  const values = [projectId, new Date(from), new Date(to), since];
  const rows = await rawQuery<{ model: string | null; judged: number; invalid: number }>(em, INVALID, values);
  return {
    invalid: rows.map(({ model: key, judged, invalid }) => ({
      key,
      judged,
      invalid,
      interval: wilson(invalid, judged),
    })),
    invalid_since: since?.toISOString() ?? null,
  };
}

/** AN34: the arrivals of a window whose audit waits, by status; they have an index of their own. */
async function auditsWaiting(
  em: Em,
  { projectId, from, to }: { projectId: string; from: number; to: number },
): Promise<Record<OpenStatus, number>> {
  const [row] = await rawQuery<Record<OpenStatus, string>>(
    em,
    `select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'escalated') as escalated
     from item where project_id = $1 and audit and status in ('queued', 'escalated') and created_at >= $2 and created_at < $3`,
    [projectId, new Date(from), new Date(to)],
  );
  return { queued: Number(row?.queued), escalated: Number(row?.escalated) };
}

/** WH10: how many deliveries are being retried now, and since when the oldest is. */
async function retryingOf(em: Em, projectId: string) {
  const [row] = await rawQuery<{ retrying: string; oldest: string | Date | null }>(
    em,
    `select ${RETRYING} as retrying, ${OLDEST_RETRYING} as oldest from project p where p.id = $1`,
    [projectId],
  );
  const oldest = row?.oldest ?? null;
  return {
    retrying: Number(row?.retrying),
    oldest_retrying_at: oldest === null ? null : new Date(oldest).toISOString(),
  };
}

interface AnalyticsQuery extends WindowQuery {
  bucket: Bucket | undefined;
}

/** All times are in ms. */
interface Window {
  from: number;
  to: number;
  bucket: Bucket;
  /** When each bucket begins; the first may begin before the window. */
  starts: number[];
}

const BUCKET_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const satisfies Record<Bucket, number>;
const DEFAULT_SPAN_MS = 24 * BUCKET_MS.hour;
/** More buckets than this cannot be shown, and would not be a bounded query. */
const MAX_BUCKETS = 1500;

/** Errors: `validation_failed` (an empty window, or too many buckets). */
function windowOf(query: AnalyticsQuery, zone: string, now: Date): Window {
  const asked = timeWindow(query, now, DEFAULT_SPAN_MS);
  const span = asked.to.getTime() - asked.from.getTime();
  const bucket = query.bucket ?? (span <= 2 * BUCKET_MS.hour ? 'minute' : span <= 8 * BUCKET_MS.day ? 'hour' : 'day');
  if (span / BUCKET_MS[bucket] > MAX_BUCKETS) throw badWindow('#/bucket', 'Choose a shorter window or a wider bucket.');
  const { from, to } = wholeMinutes(asked);
  const whole = { from: from.getTime(), to: to.getTime() };
  return { ...whole, bucket, starts: bucketsOf(whole, bucket, zone) };
}

/** The oldest item is searched among this many in due order: it is among them unless the target was raised meanwhile. */
const MAX_EXAMINED = 1000;

const late = (status: string) =>
  `(select 1 from item where project_id = $1 and status = '${status}' and due_at < $2 limit ${COUNT_LIMIT})`;
const first = (status: string) =>
  `(select created_at from item where project_id = $1 and status = '${status}' order by due_at, id limit ${MAX_EXAMINED})`;

const QUEUE_NOW = `
  select (select count(*) from item where project_id = $1 and claim_expires_at is not null) as reviewing,
    (select count(*) from (${late('queued')} union all ${late('escalated')}) l) as past_due,
    (select min(created_at) from (${first('queued')} union all ${first('escalated')}) f) as oldest_at`;

async function queueNow(em: Em, projectId: string, now: Date) {
  const [row] = await rawQuery<{ reviewing: string; past_due: string; oldest_at: string | Date | null }>(
    em,
    QUEUE_NOW,
    [projectId, now.toISOString()],
  );
  const oldest = row?.oldest_at ?? null;
  return {
    reviewing: Number(row?.reviewing),
    past_due: Math.min(COUNT_LIMIT, Number(row?.past_due)),
    oldest_at: oldest === null ? null : new Date(oldest).toISOString(),
  };
}
