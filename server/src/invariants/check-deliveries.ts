// Checks I5 and I7: what ended an item or revised its decision has its delivery, each delivery its event and body.
import { jsonText } from '@countersign/shared/json/json';
import { DECISION_ACTIONS } from '@countersign/shared/enums';
import type { EntityDictionary } from '@mikro-orm/core';
import { Decision } from '../db/entities/decision.ts';
import { endpointOf, GETS_DELIVERIES, isAfterStart } from '../db/endpoint-columns.ts';
import { inList } from '../db/in-list.ts';
import { entityFromRow } from '../db/entity-from-row.ts';
import { rawQuery } from '../db/raw-query.ts';
import {
  DELIVERED_EVENT_TYPES,
  type Ending,
  toEnded,
  toUndecided,
  UNDECIDED_EVENTS,
  webhookIdOf,
} from '../domain/items/decision.ts';
import { isDelivered } from '../delivery/write.ts';
import { byPages, type Check, type Fault } from './check.ts';
import { projectIds } from './check-event-logs.ts';

/** The rows of one page: bodies may be long. */
const PAGE = 100;

const DELIVERED = inList(DELIVERED_EVENT_TYPES);

const DELIVERIES = `
  select w.id as delivery_id, w.project_id as delivery_project, w.item_id as delivery_item, w.webhook_id, w.body,
    i.emptied_at is not null as redacted, (extract(epoch from coalesce(i.expired_at, i.decided_at)) * 1000)::float8 as ended_at,
    e.id as event_id, e.type as event_type, e.data ->> 'status' as event_status, d.*
  from delivery w join project p on p.id = w.project_id and p.deleted_at is null join item i on i.id = w.item_id
  left join event e on e.project_id = w.project_id and e.seq = w.seq and e.item_id = w.item_id and e.type in (${DELIVERED})
  left join decision d on d.item_id = w.item_id and not d.audit and d.final_at is not null
    and d.revision = coalesce((e.data ->> 'revision')::int, 1)
  where w.id > $1 order by w.id limit ${PAGE}`;

/** The columns of the decision are null when there is none. */
type Columns = EntityDictionary<Decision>;

type Row = Columns & {
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
  of: Ending['of'] | null;
  projectId: string;
  itemId: string;
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
  const of = isDecided ? decision : undecided && { undecided };
  return { id, place, webhookId, body, redacted, eventId, of, projectId: project, itemId: item };
}

function faultsOf({ place, webhookId, body, redacted, eventId, of, projectId, itemId }: Sent): Fault[] {
  if (eventId === null || webhookId !== webhookIdOf(eventId))
    return [
      {
        rule: 'I5',
        says: `${place}: its webhook-id ${webhookId} belongs to no end of an item in the event log`,
      },
    ];
  if (of === null) return [{ rule: 'I5', says: `${place}: what it delivers is missing or not final` }];
  return body === (redacted ? '' : jsonText(toEnded({ of, projectId, itemId })))
    ? []
    : [{ rule: 'I7', says: `${place}: its body is not what is stored` }];
}

/**
 * $1: the project; $2: actions that are delivered. A row per event and endpoint that gets it. Only events since the last change of
 * its settings or endpoints, before which an endpoint may have been missing or disabled, or had other events (WE1). None while
 * that change has no `seq` yet.
 */
const UNDELIVERED_DECISIONS = `
  with since as (
    select case when bool_or(e.seq is null) then ${Number.MAX_SAFE_INTEGER} else coalesce(max(e.seq), 0) end as seq from event e
    where e.project_id = $1 and e.type = 'project.changed'
      and e.data -> 'changed' ?| array['created', 'settings', 'webhook', 'archived']
  )
  select v.item_id, exists (select 1 from delivery w
    where w.item_id = v.item_id and w.seq = v.seq and ${endpointOf('w')} = e.id) as delivered
  from event v join item i on i.id = v.item_id and (not i.audit or v.type = 'decision.revised')
  join project p on p.id = v.project_id join webhook_endpoint e on e.project_id = p.id and ${GETS_DELIVERIES} and ${isAfterStart('v')}
  where v.project_id = $1 and v.seq > (select seq from since)
    and ((v.type = 'item.finalized' and v.data ->> 'action' = any($2)) or v.type in ('decision.revised', ${inList(UNDECIDED_EVENTS)}))
    and case v.type when 'item.finalized' then 'item.decided' else v.type end = any(coalesce(e.events, p.webhook_events))`;

export const checkDelivered: Check = {
  of: 'ends of items',
  rules: ['I5'],
  run: async (read, report, onProgress) => {
    let examined = 0;
    for (const { id } of await projectIds(read)) {
      const rows = await read((em) =>
        rawQuery<{ item_id: string; delivered: boolean }>(em, UNDELIVERED_DECISIONS, [
          id,
          DECISION_ACTIONS.filter(isDelivered),
        ]),
      );
      for (const { item_id: item, delivered } of rows)
        if (!delivered)
          report({
            rule: 'I5',
            says: `item ${item} of project ${id}: its end has no delivery`,
          });
      onProgress((examined += rows.length));
    }
    return examined;
  },
};
