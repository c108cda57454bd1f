// The delivery log in figures (WH11): how many are in each state, what share arrived, how long attempts take.
import { COUNT_LIMIT, RECENT_DELIVERIES } from '@countersign/shared/limits';
import type { Role } from '@countersign/shared/enums';
import { endpointOf } from '../../db/endpoint-columns.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { Em } from '../../db/orm.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { type Targets, targetsOf } from './read-delivery.ts';

/** Each at most `COUNT_LIMIT` + 1, which means more. */
export type DeliveryCounts = Record<'all' | 'succeeded' | 'pending' | 'failed' | 'dead' | 'paused', number>;

/** Of the last 24 hours, at most the newest `RECENT_DELIVERIES`. */
export interface RecentDeliveries {
  succeeded: number;
  dead: number;
  limited: boolean;
  /** The 95th percentile of the duration of their attempts, in ms; null without one. */
  p95Ms: number | null;
}

export interface DeliverySummary {
  counts: DeliveryCounts;
  /** Pending ones whose next attempt is later than now: what "retry all" makes due. */
  retryable: number;
  recent: RecentDeliveries;
  role: Role;
  targets: Targets;
}

/** The order is that of an index: without it the planner may prefer to read a large table from its beginning. */
const atMost = (condition: string): string =>
  `(select count(*)::int from (
    select 1 from delivery where project_id = $1 ${condition} order by created_at limit ${COUNT_LIMIT + 1}) x)`;

/** $1: the project. Reads `delivery_newest`, `delivery_failed`, `delivery_due_of_endpoint` for `retryable`, and `delivery_by_status` for the rest. */
const COUNTS = `select ${atMost('')} as "all", ${atMost('and error is not null')} as failed,
  ${atMost(`and status = 'succeeded'`)} as succeeded, ${atMost(`and status = 'dead'`)} as dead,
  ${atMost(`and status = 'pending'`)} as pending, ${atMost(`and status = 'paused'`)} as paused,
  (select count(*)::int from (
    select 1 from webhook_endpoint e cross join lateral (
      select 1 from delivery d where ${endpointOf('d')} = e.id and d.status = 'pending' and d.next_attempt_at > now()
      order by d.next_attempt_at limit ${COUNT_LIMIT + 1}) w
    where e.project_id = $1 and e.is_enabled limit ${COUNT_LIMIT + 1}) x) as retryable`;

/** $1: the project; $2: since when. Reads `delivery_newest`, and the primary key of the attempts. An attempt whose lease was lost is not one of the delivery. */
const RECENT = `with newest as materialized (
    select id, status from delivery where project_id = $1 and created_at > $2::timestamptz
    order by created_at desc, id desc limit ${RECENT_DELIVERIES + 1}
  ), counted as (select * from newest limit ${RECENT_DELIVERIES})
  select (select count(*)::int from newest) as found, (select count(*)::int from counted where status = 'succeeded') as succeeded,
    (select count(*)::int from counted where status = 'dead') as dead,
    (select percentile_disc(0.95) within group (order by a.total_ms) from counted c join attempt a on a.delivery_id = c.id
      where a.error is distinct from 'lease_lost') as p95_ms`;

const DAY_MS = 86_400_000;

/** Costs the same for any number of deliveries. Errors: `not_found`, `forbidden`. */
export function summarizeDeliveries(
  services: Services,
  actor: MemberActor,
  projectId: string,
): Promise<DeliverySummary> {
  return services.db.read(async (em) => {
    const role = await requirePermission(em, { userId: actor.userId, projectId }, 'see_deliveries');
    const targets = await targetsOf(em, projectId);
    const [{ retryable, ...counts }] = (await rawQuery(em, COUNTS, [projectId])) as [
      DeliveryCounts & { retryable: number },
    ];
    const since = new Date(services.clock.now().getTime() - DAY_MS);
    return { counts, retryable, recent: await recentOf(em, projectId, since), role, targets };
  });
}

async function recentOf(em: Em, projectId: string, since: Date): Promise<RecentDeliveries> {
  const [row] = (await rawQuery(em, RECENT, [projectId, since])) as [
    { found: number; succeeded: number; dead: number; p95_ms: number | string | null },
  ];
  const { found, succeeded, dead, p95_ms: p95 } = row;
  return { succeeded, dead, limited: found > RECENT_DELIVERIES, p95Ms: p95 === null ? null : Number(p95) };
}
