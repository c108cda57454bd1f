// What the queue, the people and the model did in a window. Counted from the rows themselves: true now, by definition.
import { Refusal } from '@countersign/shared/errors';
import type { Analytics } from '@countersign/shared/api/insights';
import { ITEM_STATUSES, type ItemStatus } from '@countersign/shared/words';
import type { Em } from '../../db/orm.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';

export type Bucket = 'minute' | 'hour' | 'day';

export interface AnalyticsQuery {
  projectId: string;
  from: Date | undefined;
  to: Date | undefined;
  bucket: Bucket | undefined;
}

interface Window {
  projectId: string;
  from: Date;
  to: Date;
  bucket: Bucket;
}

const BUCKET_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const satisfies Record<Bucket, number>;
const DEFAULT_SPAN_MS = 24 * BUCKET_MS.hour;
/** More buckets than this is no picture any more, and no bounded query. */
const MAX_BUCKETS = 1500;

/** Errors: `not_found`, `forbidden`, `validation_failed` (an empty or far too fine window). */
export function readAnalytics(services: Services, actor: MemberActor, query: AnalyticsQuery): Promise<Analytics> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId: query.projectId }, 'see_analytics');
    const now = services.clock.now();
    const window = windowOf(query, now);
    const open = await queueNow(em, window.projectId, now);
    return {
      from: window.from.toISOString(),
      to: window.to.toISOString(),
      bucket: window.bucket,
      server_time: now.toISOString(),
      ...open,
      ...(await arrivals(em, window)),
      ...(await decisions(em, window)),
      flow: withDepth(await flow(em, window), await waitingAt(em, window, open.waiting)),
      overrides: await overrides(em, window),
    };
  });
}

function windowOf({ projectId, from, to, bucket }: AnalyticsQuery, now: Date): Window {
  const end = to ?? now;
  const start = from ?? new Date(end.getTime() - DEFAULT_SPAN_MS);
  const span = end.getTime() - start.getTime();
  const step = bucket ?? (span <= 2 * BUCKET_MS.hour ? 'minute' : span <= 8 * BUCKET_MS.day ? 'hour' : 'day');
  if (start.getTime() < 0) throw bad('#/from', 'The window must start in 1970 or later.');
  if (span <= 0) throw bad('#/from', 'The window must end after it starts.');
  if (span / BUCKET_MS[step] > MAX_BUCKETS) throw bad('#/bucket', 'Choose a shorter window or a wider bucket.');
  return { projectId, from: start, to: end, bucket: step };
}

function bad(pointer: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'invalid', detail }] });
}

async function queueNow(em: Em, projectId: string, now: Date) {
  const rows = await em.execute<
    Record<'queued' | 'escalated' | 'reviewing' | 'past_due' | 'oldest_at', string | null>[]
  >(
    `select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'escalated') as escalated,
       count(*) filter (where claim_expires_at is not null) as reviewing,
       count(*) filter (where due_at < ?) as past_due, min(created_at) as oldest_at
     from item where project_id = ? and status in ('queued', 'escalated')`,
    [now, projectId],
  );
  const row = rows[0];
  return {
    waiting: { queued: Number(row?.queued), escalated: Number(row?.escalated) },
    reviewing: Number(row?.reviewing),
    past_due: Number(row?.past_due),
    oldest_at: row?.oldest_at ? new Date(row.oldest_at).toISOString() : null,
  };
}

async function arrivals(em: Em, { projectId, from, to }: Window) {
  const rows = await em.execute<{ status: ItemStatus; n: string }[]>(
    `select status, count(*) as n from item where project_id = ? and created_at >= ? and created_at < ? group by status`,
    [projectId, from, to],
  );
  const counted = new Map(rows.map((row) => [row.status, Number(row.n)]));
  const mix = Object.fromEntries(ITEM_STATUSES.map((status) => [status, counted.get(status) ?? 0])) as Record<
    ItemStatus,
    number
  >;
  return { mix, arrived: Object.values(mix).reduce((sum, n) => sum + n, 0) };
}

const PEOPLES = `d.project_id = ? and d.reviewer_id is not null and d.decided_at >= ? and d.decided_at < ?`;

async function decisions(em: Em, { projectId, from, to }: Window) {
  const rows = await em.execute<{ n: string; overridden: string; p50: number | null; p90: number | null }[]>(
    `select count(*) as n, count(*) filter (where d.action in ('edit', 'reject')) as overridden,
       percentile_cont(0.5) within group (order by extract(epoch from d.decided_at - i.created_at)) as p50,
       percentile_cont(0.9) within group (order by extract(epoch from d.decided_at - i.created_at)) as p90
     from decision d join item i on i.id = d.item_id where ${PEOPLES}`,
    [projectId, from, to],
  );
  const n = Number(rows[0]?.n ?? 0);
  const seconds = (value: number | null | undefined) => (value === null || value === undefined ? null : Number(value));
  return {
    decided: n,
    overridden: Number(rows[0]?.overridden ?? 0),
    time_to_decision: { n, p50: seconds(rows[0]?.p50), p90: seconds(rows[0]?.p90) },
  };
}

/** Of items: those that came to people. What routing ended was decided the moment it arrived; one that was reopened counts from its arrival. */
const TO_PEOPLE = `decided_at is distinct from created_at`;

/** How many waited for a person when the window ended: as many as now, without what came since, with what was decided since. */
async function waitingAt(
  em: Em,
  { projectId, to }: Window,
  now: { queued: number; escalated: number },
): Promise<number> {
  const rows = await em.execute<{ came: string; went: string }[]>(
    `select (select count(*) from item where project_id = ? and created_at >= ? and ${TO_PEOPLE}) as came,
       (select count(*) from decision where project_id = ? and reviewer_id is not null and decided_at >= ?) as went`,
    [projectId, to, projectId, to],
  );
  return now.queued + now.escalated - Number(rows[0]?.came ?? 0) + Number(rows[0]?.went ?? 0);
}

/** The depth at the end of each bucket, counted back from the last one. */
function withDepth(buckets: Awaited<ReturnType<typeof flow>>, last: number): Analytics['flow'] {
  let waiting = last;
  const backwards = buckets.toReversed().map(({ toPeople, ...bucket }) => {
    const row = { ...bucket, waiting };
    waiting += bucket.decided - toPeople;
    return row;
  });
  return backwards.reverse();
}

async function flow(em: Em, { projectId, from, to, bucket }: Window) {
  const rows = await em.execute<{ at: string | Date; arrived: string; to_people: string; decided: string }[]>(
    `select b.at, coalesce(a.n, 0) as arrived, coalesce(a.to_people, 0) as to_people, coalesce(d.n, 0) as decided
     from generate_series(date_trunc('${bucket}', ?::timestamptz, 'UTC'), ?::timestamptz - interval '1 millisecond', interval '1 ${bucket}') as b(at)
     left join (select date_trunc('${bucket}', created_at, 'UTC') as at, count(*) as n,
         count(*) filter (where ${TO_PEOPLE}) as to_people from item
       where project_id = ? and created_at >= ? and created_at < ? group by 1) a on a.at = b.at
     left join (select date_trunc('${bucket}', d.decided_at, 'UTC') as at, count(*) as n from decision d where ${PEOPLES} group by 1) d on d.at = b.at
     order by b.at`,
    [from, to, projectId, from, to, projectId, from, to],
  );
  return rows.map((row) => ({
    at: new Date(row.at).toISOString(),
    arrived: Number(row.arrived),
    toPeople: Number(row.to_people),
    decided: Number(row.decided),
  }));
}

/** What people's decisions are split by: the SQL that names the groups of one decided item. */
const SPLITS = {
  by_flag: `cross join lateral unnest(case when cardinality(i.risk_flags) = 0 then array['no flag'] else i.risk_flags end) as k(key)`,
  by_model: `cross join lateral (values (coalesce(i.model, 'unknown'))) as k(key)`,
  by_source: `cross join lateral (values (coalesce(i.source, 'unknown'))) as k(key)`,
} as const;

async function overrides(em: Em, window: Window): Promise<Analytics['overrides']> {
  return {
    by_flag: await overridesBy(em, window, 'by_flag'),
    by_model: await overridesBy(em, window, 'by_model'),
    by_source: await overridesBy(em, window, 'by_source'),
  };
}

async function overridesBy(em: Em, { projectId, from, to }: Window, split: keyof typeof SPLITS) {
  const rows = await em.execute<{ key: string; decided: string; overridden: string }[]>(
    `select k.key, count(distinct d.id) as decided, count(distinct d.id) filter (where d.action in ('edit', 'reject')) as overridden
     from decision d join item i on i.id = d.item_id ${SPLITS[split]} where ${PEOPLES}
     group by k.key order by decided desc, k.key limit 20`,
    [projectId, from, to],
  );
  return rows.map((row) => ({ key: row.key, decided: Number(row.decided), overridden: Number(row.overridden) }));
}
