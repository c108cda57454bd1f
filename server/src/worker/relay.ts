// The event relay: assigns sequence numbers, writes the deliveries that events cause, notifies web processes.
import { DECISION_ACTIONS } from '@countersign/shared/enums';
import type { EntityDictionary } from '@mikro-orm/core';
import type { Event } from '../db/entities/event.ts';
import { Decision } from '../db/entities/decision.ts';
import type { Database, Tx } from '../db/database.ts';
import { plannedBySize } from '../db/connection/planned.ts';
import type { Em } from '../db/orm.ts';
import { EVENTS_SEQUENCED, formatAdvance } from '../db/connection/channels.ts';
import { DELIVERED_EVENT_TYPES, toUndecided, UNDECIDED_EVENTS } from '../domain/webhooks/delivered-events.ts';
import { eventTypeOf } from '../domain/stored-names.ts';
import { endpointOf, GETS_DELIVERIES, isAfterStart } from '../db/endpoint-columns.ts';
import { entityFromRow } from '../db/entity-from-row.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Signals } from '../db/connection/signals.ts';
import type { Services } from '../usecases/services.ts';
import type { ReadyToSend } from '../delivery/lease.ts';
import {
  type ChannelNotification,
  type Deliverable,
  deliveriesOf,
  isDelivered,
  type NewDelivery,
  type SendCapacity,
  writeDeliveries,
} from '../delivery/write.ts';
import type { Next } from './loop.ts';

/** Any fixed number: one relay at a time among all processes on a database. */
const RELAY = 7_202_611_202;
const BATCH = 500;

interface RelayOptions {
  /** Called after each batch. */
  onSequenced?: (events: readonly SequencedEvent[]) => void;
  /** Without it, every delivery waits for a worker to lease it. */
  capacity?: SendCapacity;
  /** Events of items that arrived later keep waiting: for the demo's history, which runs at a time in the past. */
  until?: Date;
}

const NO_CAPACITY: SendCapacity = { reserve: () => ({ ids: new Set(), use: () => undefined }) };

/**
 * Assigns sequence numbers to up to one batch. Events of one item keep their order: each was inserted under its item's
 * row lock.
 */
export async function relayOnce(
  services: Services,
  signals: Signals,
  { onSequenced = () => undefined, capacity = NO_CAPACITY, until }: RelayOptions = {},
): Promise<Next> {
  if (!(await signals.lead(RELAY))) return {};
  let reserved = NO_CAPACITY.reserve([]);
  let ready: readonly ReadyToSend[] = [];
  try {
    const write = async (tx: Tx) => {
      const sequenced = await assignSequence(tx, services.db, until);
      if (sequenced.length === 0) return { sequenced, written: [] };
      const deliveries = newDeliveries(services, sequenced);
      reserved = capacity.reserve(deliveries);
      const written = await writeDeliveries(tx.em, {
        deliveries,
        reserved: reserved.ids,
        notifications: sequencedNotifications(sequenced),
      });
      return { sequenced, written };
    };
    const { sequenced, written } = await services.db.write(write);
    ready = written;
    onSequenced(sequenced);
    return { again: sequenced.length === BATCH };
  } finally {
    reserved.use(ready);
  }
}

/** An event with its sequence number. */
export interface SequencedEvent {
  projectId: string;
  seq: number;
  type: Event['type'];
  itemId: string | null;
  /** The version of the item. */
  version: number | null;
  /** When it was appended, in ms since the epoch. */
  appendedAt: number;
  /** What its webhooks deliver, if an endpoint of its project gets it; null for every other event. */
  deliverable: Deliverable | null;
  /** The endpoints that get it (WH12). */
  endpointIds: readonly string[];
}

/** The columns of a decision that its webhook is made of (`StoredDecision`). */
const DECISION_COLUMNS = `decision.id, decision.item_id, decision.project_id, decision.status, decision.action, decision.output,
  decision.edited, decision.reason, decision.note, decision.response, decision.reviewer_id, decision.decided_at,
  decision.revision, decision.revises`;

/** The decisions that webhooks deliver. */
const DELIVERED_ACTIONS = DECISION_ACTIONS.filter(isDelivered);

/** $1: `DELIVERED_ACTIONS`; $2: `UNDECIDED_EVENTS`; $3: `until`, or null; $4: the types of all events that are delivered. */
const ASSIGN_SEQUENCE = plannedBySize(`
  with unsequenced as (
    -- If leadership is ever ambiguous, the row locks make a second relay wait and find nothing: no number is assigned twice.
    select position, project_id, item_id, type, data ->> 'action' as action, data ->> 'status' as status,
      (data ->> 'version')::int as version, coalesce((data ->> 'revision')::int, 1) as revision from event
    where seq is null
      and ($3::timestamptz is null or not exists (select from item i where i.id = item_id and i.created_at > $3))
    order by position limit ${BATCH} for update
  ), numbered as (
    select *, row_number() over (partition by project_id order by position) as n from unsequenced
  ), grown as (
    select project_id, count(*) as n from numbered group by project_id
  ), held as (
    -- Projects are locked in the order of their IDs, as counting does.
    select id from project where id in (select project_id from grown) order by id for no key update
  ), heads as (
    update project p set event_seq = p.event_seq + grown.n from grown join held on held.id = grown.project_id
    where p.id = held.id returning p.id, p.event_seq - grown.n as base, p.webhook_url, p.webhook_events
  )
  update event set seq = head.base + numbered.n
  from numbered join heads head on head.id = numbered.project_id
  left join lateral (
    -- Each enabled endpoint gets the events that it chose, that of the settings those of the project (WE1).
    select string_agg(${endpointOf('e')}::text, ',' order by ${endpointOf('e')}) as ids
    from webhook_endpoint e cross join lateral (select head.webhook_url, head.webhook_events) p
    where numbered.type = any($4) and (numbered.action = any($1) or numbered.type = any($2)) and e.project_id = head.id
      and ${GETS_DELIVERIES} and ${isAfterStart('numbered')}
      and case numbered.type when 'item.finalized' then 'item.decided' else numbered.type end
        = any(coalesce(e.events, p.webhook_events))
  ) endpoints on true
  left join lateral (
    -- Looked up by its index: there are few decisions in a batch, however many exist.
    select ${DECISION_COLUMNS} from decision
    where endpoints.ids is not null and numbered.type in ('item.finalized', 'decision.revised')
      and numbered.action = any($1) and decision.item_id = numbered.item_id and not decision.audit
      and decision.revision = numbered.revision and decision.action = numbered.action and decision.final_at is not null
    limit 1
  ) decision on true
  left join lateral (
    -- When an item ended without a decision.
    select (extract(epoch from coalesce(i.expired_at, i.decided_at)) * 1000)::float8 as ended_at from item i
    where endpoints.ids is not null and numbered.type = any($2) and i.id = numbered.item_id and not i.audit limit 1
  ) ended on true
  where event.position = numbered.position
  returning event.id as event_id, event.project_id as event_project, event.item_id as event_item,
    numbered.version as event_version, (extract(epoch from event.created_at) * 1000)::float8 as event_at, event.seq,
    event.type as event_type, numbered.status as event_status, endpoints.ids as endpoints, ended.ended_at,
    event.position as event_position, ${DECISION_COLUMNS}`);

/** The position that the relay of a database has reached: about how many events there are. */
const reached = new WeakMap<Database, number>();

/** The columns of the decision are null for an event that is not delivered. */
type SequencedRow = EntityDictionary<Decision> & {
  event_id: string;
  event_project: string;
  event_item: string | null;
  event_version: number | null;
  event_at: number;
  seq: string;
  event_position: string;
  event_type: Event['type'];
  event_status: string | null;
  /** The IDs of the endpoints that get it, separated by commas; null: none does. */
  endpoints: string | null;
  /** In ms since the epoch; null unless the event is the end of an item without a decision. */
  ended_at: number | null;
};

async function assignSequence({ em }: Tx, db: Database, until: Date | undefined): Promise<SequencedEvent[]> {
  const parameters = [DELIVERED_ACTIONS, UNDECIDED_EVENTS, until?.toISOString() ?? null, DELIVERED_EVENT_TYPES];
  const rows = await rawQuery<SequencedRow>(em, ASSIGN_SEQUENCE(reached.get(db) ?? 0), parameters);
  for (const { event_position: position } of rows) reached.set(db, Math.max(reached.get(db) ?? 0, Number(position)));
  return rows.map((row) => toSequenced(em, row));
}

function toSequenced(em: Em, row: SequencedRow): SequencedEvent {
  const { event_id: eventId, event_project: projectId, event_item: itemId, event_type: type } = row;
  const about = { projectId, seq: Number(row.seq) };
  const outcome = outcomeOf(em, row);
  return {
    ...{ ...about, type: eventTypeOf(type), itemId, version: row.event_version, appendedAt: row.event_at },
    deliverable: outcome && itemId !== null ? { ...about, eventId, itemId, outcome } : null,
    endpointIds: row.endpoints?.split(',') ?? [],
  };
}

function outcomeOf(em: Em, row: SequencedRow): Deliverable['outcome'] | null {
  const { event_type: type, event_status: status, ended_at: at } = row;
  if (at !== null && status !== null) return { undecided: toUndecided(type, status, at) };
  return row.id ? { decision: entityFromRow(em, Decision, row) } : null;
}

function newDeliveries(services: Services, sequenced: readonly SequencedEvent[]): NewDelivery[] {
  const createdAt = services.clock.now();
  const newId = () => services.ids.uuid();
  return sequenced.flatMap(({ deliverable, endpointIds }) =>
    deliverable === null ? [] : deliveriesOf(deliverable, endpointIds, { newId, createdAt }),
  );
}

/** The notifications for this many event logs fit into NOTIFY's 8000 bytes. */
const MAX_LOGS_PER_NOTIFY = 100;

/** Tells every web process which event logs grew, from where, and whether the project itself changed. */
function sequencedNotifications(sequenced: readonly SequencedEvent[]): ChannelNotification[] {
  const grown = [...Map.groupBy(sequenced, (event) => event.projectId)].map(([projectId, events]) => {
    const seq = Math.min(...events.map((event) => event.seq));
    return formatAdvance({ projectId, seq, changed: events.some((event) => event.type === 'project.changed') });
  });
  const count = Math.ceil(grown.length / MAX_LOGS_PER_NOTIFY);
  return Array.from({ length: count }, (_, n) => {
    const payload = grown.slice(n * MAX_LOGS_PER_NOTIFY, (n + 1) * MAX_LOGS_PER_NOTIFY).join(',');
    return { channel: EVENTS_SEQUENCED, payload };
  });
}
