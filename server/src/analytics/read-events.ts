// Reads events as the rollups count them: each with its item and with the state of the item before it.
import type { DecisionAction, ItemStatus } from '@countersign/shared/enums';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { eventTypeOf } from '../domain/stored-names.ts';
import type { CountedEvent, DeliveryOutcome } from '../domain/analytics/rollup.ts';

/** A span of one project's event log: every `seq` above `after`, up to and including `through`. */
export interface Span {
  projectId: string;
  after: number;
  through: number;
}

/** The status that people see after the event: an item drawn for an audit waits although it is approved. */
const STATUS = (event: string) =>
  `coalesce(${event}.data -> 'audited' ->> 'status', ${event}.data ->> 'status', ${event}.data -> 'item' ->> 'status')`;
const MEMBER = (event: string) => `case when ${event}.actor ->> 'kind' = 'member' then ${event}.actor ->> 'id' end`;

/** When the withdrawn item of `e` began to wait, the last time: an undo brings an item back that waited before. */
const WAITED_FROM = `
  select case when h.version = 1 then i.created_at else h.at end as at from (
    select p.position, p.created_at as at, p.type, (p.data ->> 'version')::int as version,
      lag(${STATUS('p')}) over (order by p.position) as earlier
    from event p where p.item_id = e.item_id and p.position < e.position and e.type = 'item.withdrawn'
      and p.type in ('item.queued', 'item.escalated', 'item.undone', 'item.decided', 'item.finalized')
  ) h
  where h.type in ('item.queued', 'item.escalated') and coalesce(h.earlier, '') not in ('queued', 'escalated')
  order by h.position desc limit 1`;

/** Whether the claim or the attempt of `e` is not the first: a first attempt follows no success of its delivery. */
const EARLIER = `
  select true as found from event p where p.item_id = e.item_id and p.position < e.position and p.type = e.type
    and (e.type = 'item.claimed' or (e.type = 'delivery.changed' and (e.data ->> 'attempt')::int > 1))
    and (e.type = 'item.claimed'
      or (p.data ->> 'delivery_id' = e.data ->> 'delivery_id' and p.data ->> 'status' = 'succeeded'))
  limit 1`;

/** The end that the delivery of `e` had when it was sent again: the event of that has no attempt. */
const RESENT = `
  select h.status, h.at from (
    select p.data ->> 'status' as status, p.created_at as at from event p
    where p.item_id = e.item_id and p.position < e.position and p.type = e.type and e.type = 'delivery.changed'
      and e.data ->> 'status' = 'pending' and e.data ->> 'http_status' is null and e.data ->> 'error' is null
      and p.data ->> 'delivery_id' = e.data ->> 'delivery_id'
    order by p.position desc limit 1
  ) h where h.status in ('succeeded', 'dead')`;

/**
 * An arrival (version 1) has no earlier event, so a burst of submissions needs no look back. For other events the index
 * `event_of_item` finds the few earlier events of the item: within an item, positions follow the order of its event log. Each
 * `limit` makes the planner use an index, however many rows it expects. Which events need a subquery is said inside it: as the
 * condition of a join it would be evaluated after the subquery ran.
 */
const eventsOf = (source: string): string => `
  select e.project_id, e.seq, e.position, e.type, e.created_at as at, ${MEMBER('e')} as member_id, (e.data ->> 'version')::int as version,
    ${STATUS('e')} as status, e.data ->> 'action' as action,
    i.created_at as item_at, i.confidence, array_to_json(i.risk_flags)::text as risk_flags, i.model, i.source, i.audit, i.has_suggestion,
    b.at as before_at, b.status as before_status, b.action as before_action, b.member_id as before_member_id,
    case when e.type = 'decision.revised' then e.data -> 'was' ->> 'status' end as was_status, e.data -> 'was' ->> 'action' as was_action,
    q.at as waited_from,
    f.found is null as first, d.created_at as delivery_at, d.outcome,
    s.status as resent_status, s.at as resent_at
  from ${source}
  left join lateral (
    select x.created_at, x.confidence, x.risk_flags, x.model, x.source, x.audit, x.has_suggestion from item x
    where x.id = e.item_id and e.type <> 'delivery.changed' limit 1
  ) i on true
  left join lateral (
    select p.created_at as at, ${STATUS('p')} as status, p.data ->> 'action' as action, ${MEMBER('p')} as member_id
    from event p where p.item_id = e.item_id and p.position < e.position
      and (e.data ->> 'version')::int > 1
      and e.type in ('item.queued', 'item.escalated', 'item.undone', 'item.decided', 'item.withdrawn', 'decision.revised',
        'item.expired')
      and p.type in ('item.queued', 'item.escalated', 'item.undone', 'item.decided', 'item.finalized')
      -- A revision is counted where the decision of a person was (RV7): an undo in between has no action.
      and (e.type <> 'decision.revised' or p.type in ('item.undone', 'item.decided'))
    order by p.position desc limit 1
  ) b on true
  left join lateral (${WAITED_FROM}) q on true
  left join lateral (
    select case e.data ->> 'status' when 'pending' then 'failed' else e.data ->> 'status' end as outcome, x.created_at
    from delivery x where x.id = (e.data ->> 'delivery_id')::uuid and e.type = 'delivery.changed'
      and (e.data ->> 'status' <> 'pending' or e.data ->> 'http_status' is not null or e.data ->> 'error' is not null)
    limit 1
  ) d on true
  left join lateral (${EARLIER}) f on true
  left join lateral (${RESENT}) s on true
  where e.type <> 'project.changed'`;

const SEQUENCED_EVENTS = eventsOf(`json_to_recordset($1::json) as span("projectId" uuid, after bigint, through bigint)
  cross join lateral (
    select * from event x where x.project_id = span."projectId" and x.seq > span.after and x.seq <= span.through
    order by x.seq limit span.through - span.after
  ) e`);

/** More events than the relay leaves without a sequence number, and more than it numbers between two counts. */
export const FRESH = 5000;
const UNCOUNTED = eventsOf(`(
    (select * from event where project_id = $1 and seq > (select rollup_seq from project where id = $1) order by seq limit ${FRESH})
    union all
    (select * from event where project_id = $1 and seq is null order by position limit ${FRESH})
  ) e`);

interface EventRow {
  project_id: string;
  seq: string | null;
  position: string;
  type: string;
  at: string | Date;
  member_id: string | null;
  version: number | null;
  status: ItemStatus | null;
  action: DecisionAction | null;
  item_at: string | Date | null;
  confidence: number;
  risk_flags: string;
  model: string | null;
  source: string | null;
  audit: boolean;
  has_suggestion: boolean;
  before_at: string | Date | null;
  before_status: ItemStatus;
  before_action: DecisionAction | null;
  before_member_id: string | null;
  was_status: ItemStatus | null;
  was_action: DecisionAction | null;
  waited_from: string | Date | null;
  first: boolean;
  delivery_at: string | Date | null;
  outcome: DeliveryOutcome;
  resent_status: 'succeeded' | 'dead';
  resent_at: string | Date | null;
}

/**
 * The events of these spans in the order of each event log, each with its project. Events about a project itself are excluded.
 */
export async function readEvents(
  em: Em,
  spans: readonly Span[],
): Promise<{ projectId: string; event: CountedEvent }[]> {
  const rows = await rawQuery<EventRow>(em, SEQUENCED_EVENTS, [JSON.stringify(spans)]);
  return rows.sort(inLogOrder).map((row) => ({ projectId: row.project_id, event: toCountedEvent(row) }));
}

/**
 * What the rollups do not hold yet: the oldest `FRESH` events with a sequence number, and as many without one. `through` is the
 * highest sequence number among them, 0 when there is none.
 */
export async function readUncounted(em: Em, projectId: string): Promise<{ events: CountedEvent[]; through: number }> {
  const rows = await rawQuery<EventRow>(em, UNCOUNTED, [projectId]);
  return {
    events: rows.sort(inLogOrder).map(toCountedEvent),
    through: rows.reduce((most, { seq }) => Math.max(most, Number(seq ?? 0)), 0),
  };
}

/** Events without a sequence number come after all others, in the order of recording. */
const inLogOrder = (one: EventRow, other: EventRow): number =>
  Number(one.seq ?? Infinity) === Number(other.seq ?? Infinity)
    ? Number(one.position) - Number(other.position)
    : Number(one.seq ?? Infinity) - Number(other.seq ?? Infinity);

const toCountedEvent = (row: EventRow): CountedEvent => ({
  type: eventTypeOf(row.type),
  at: new Date(row.at),
  memberId: row.member_id,
  version: row.version ?? 0,
  status: row.status,
  action: row.action,
  item: row.item_at === null ? null : itemOf(row, row.item_at),
  before: row.before_at === null ? null : snapshotOf(row, row.before_at),
  was: row.was_status === null ? null : { status: row.was_status, action: row.was_action },
  waitedFrom: row.waited_from === null ? null : new Date(row.waited_from),
  first: row.first,
  delivery: row.delivery_at === null ? null : { outcome: row.outcome, createdAt: new Date(row.delivery_at) },
  resent: row.resent_at === null ? null : { outcome: row.resent_status, endedAt: new Date(row.resent_at) },
});

const itemOf = (
  { confidence, risk_flags, model, source, audit, has_suggestion: hasSuggestion }: EventRow,
  at: string | Date,
) => ({
  createdAt: new Date(at),
  confidence: Number(confidence),
  riskFlags: JSON.parse(risk_flags) as string[],
  model,
  source,
  audit,
  hasSuggestion,
});

const snapshotOf = (row: EventRow, at: string | Date) => ({
  at: new Date(at),
  status: row.before_status,
  action: row.before_action,
  memberId: row.before_member_id,
});
