// Checks I5 and I7: each delivery has its event and body, and is due, being sent or visibly ended.
import { jsonText } from '@countersign/shared/json/json';
import type { DeliveryStatus } from '@countersign/shared/enums';
import type { EntityDictionary } from '@mikro-orm/core';
import { Decision } from '../db/entities/decision.ts';
import { inList } from '../db/in-list.ts';
import { entityFromRow } from '../db/entity-from-row.ts';
import { rawQuery } from '../db/raw-query.ts';
import {
  DELIVERED_EVENT_TYPES,
  type Ending,
  webhookBodyOf,
  toUndecided,
  UNDECIDED_EVENTS,
  webhookIdOf,
} from '../domain/webhooks/delivered-events.ts';
import { byPages, type Check, type Fault } from './check.ts';

/** The rows of one page: bodies may be long. */
const PAGE = 100;

const DELIVERED = inList(DELIVERED_EVENT_TYPES);

const DELIVERIES = `
  select w.id as delivery_id, w.project_id as delivery_project, w.item_id as delivery_item, w.webhook_id, w.body,
    w.status as delivery_status, w.attempt > 0 as attempted, w.next_attempt_at is not null as due, w.lease_until is not null as leased,
    w.completed_at is not null as ended,
    i.emptied_at is not null as redacted, (extract(epoch from coalesce(i.expired_at, i.decided_at)) * 1000)::float8 as ended_at,
    e.id as event_id, e.type as event_type, e.data ->> 'status' as event_status, d.*
  from delivery w join project p on p.id = w.project_id and p.deleted_at is null join item i on i.id = w.item_id
  left join event e on e.project_id = w.project_id and e.seq = w.seq and e.item_id = w.item_id and e.type in (${DELIVERED})
  left join decision d on d.item_id = w.item_id and not d.audit and d.final_at is not null
    and d.revision = coalesce((e.data ->> 'revision')::int, 1)
  where w.id > $1 order by w.id limit ${PAGE}`;

/** The columns of the decision are null when there is none. */
type Columns = EntityDictionary<Decision>;

/** What the state of a delivery depends on. */
interface State {
  delivery_status: DeliveryStatus;
  attempted: boolean;
  due: boolean;
  leased: boolean;
  ended: boolean;
}

type Row = Columns &
  State & {
    delivery_id: string;
    delivery_project: string;
    delivery_item: string;
    webhook_id: string;
    body: string;
    redacted: boolean;
    ended_at: number | null;
    event_id: string | null;
    event_type: string | null;
    event_status: string | null;
  };

interface Sent {
  id: string;
  place: string;
  webhookId: string;
  body: string;
  /** The decision's output, and with it the body, was redacted (KE2). */
  redacted: boolean;
  eventId: string | null;
  /** What the event delivers; null where that is missing. */
  outcome: Ending['outcome'] | null;
  projectId: string;
  itemId: string;
  /** What its status lacks to arrive or to end; null where nothing is. */
  lacks: string | null;
  status: DeliveryStatus;
}

export const checkDeliveries: Check = {
  of: 'deliveries',
  rules: ['I5', 'I7'],
  run: (read, report, onProgress) =>
    byPages(
      (after) =>
        read(async (em) => {
          const rows = await rawQuery<Row>(em, DELIVERIES, [after]);
          return rows.map((row) => toSent(row, (columns) => entityFromRow(em, Decision, columns)));
        }),
      (sent) => faultsOf(sent).forEach(report),
      onProgress,
    ),
};

function toSent(row: Row, toDecision: (columns: Columns) => Decision): Sent {
  const { delivery_id: id, delivery_project: project, delivery_item: item, webhook_id: webhookId, body, ...rest } = row;
  const { event_id: eventId, redacted, event_type, event_status, ended_at, ...columns } = rest;
  const place = `delivery ${id} of item ${item}, project ${project}`;
  // Without a decision the columns are null, although their type does not say so.
  const decision = (columns.id as string | null) === null ? null : { decision: toDecision(columns) };
  const isDecided = !UNDECIDED_EVENTS.some((type) => type === event_type);
  const undecided =
    isDecided || ended_at === null ? null : toUndecided(String(event_type), String(event_status), ended_at);
  const outcome = isDecided ? decision : undecided && { undecided };
  return { id, place, webhookId, body, redacted, eventId, outcome, projectId: project, itemId: item, ...stateOf(row) };
}

/**
 * What its status needs: a delivery that waits is due at some time, one that is sent ends its lease and is due again then, and one
 * that ended says when. One of a paused endpoint waits for an owner, and one may be cancelled before its first attempt.
 */
const NEEDS: Readonly<Record<DeliveryStatus, Partial<Record<keyof Omit<State, 'delivery_status'>, string>>>> = {
  pending: { due: 'a time at which it is due' },
  sending: { leased: 'a lease', due: 'a time at which it is due' },
  succeeded: { attempted: 'an attempt', ended: 'a time at which it ended' },
  dead: { attempted: 'an attempt', ended: 'a time at which it ended' },
  cancelled: { ended: 'a time at which it ended' },
  paused: {},
};

function stateOf(row: State): Pick<Sent, 'status' | 'lacks'> {
  const { delivery_status: status } = row;
  const [lacks] = Object.entries(NEEDS[status]).filter(([need]) => !row[need as keyof State]);
  return { status, lacks: lacks?.[1] ?? null };
}

function faultsOf(sent: Sent): Fault[] {
  const { place, lacks, status } = sent;
  const state = lacks === null ? [] : [{ rule: 'I5', says: `${place}: it is ${status} without ${lacks}` }];
  return [...state, ...contentFaults(sent)];
}

function contentFaults({ place, webhookId, body, redacted, eventId, outcome, projectId, itemId }: Sent): Fault[] {
  if (eventId === null || webhookId !== webhookIdOf(eventId))
    return [
      {
        rule: 'I5',
        says: `${place}: its webhook-id ${webhookId} belongs to no end of an item in the event log`,
      },
    ];
  if (outcome === null) return [{ rule: 'I5', says: `${place}: what it delivers is missing or not final` }];
  return body === (redacted ? '' : jsonText(webhookBodyOf({ outcome, projectId, itemId })))
    ? []
    : [{ rule: 'I7', says: `${place}: its body is not what is stored` }];
}
