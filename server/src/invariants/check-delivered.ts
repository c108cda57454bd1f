// Checks I5: what ended an item or revised its decision has a delivery for each endpoint that gets it.
import { DECISION_ACTIONS } from '@countersign/shared/enums';
import { endpointOf, GETS_DELIVERIES, isAfterStart } from '../db/endpoint-columns.ts';
import { inList } from '../db/in-list.ts';
import { rawQuery } from '../db/raw-query.ts';
import { isDelivered } from '../delivery/write.ts';
import { UNDECIDED_EVENTS } from '../domain/webhooks/delivered-events.ts';
import type { Check } from './check.ts';
import { projectIds } from './check-event-logs.ts';

/** Longer than a transaction takes from the line that it writes in the change log to its event. Both are of one clock. */
const BETWEEN = "interval '10 minutes'";

/**
 * The line `c` of the change log decides what the endpoint `e` gets: it was added by a version that did not note after which event,
 * switched on or off, or got other events; or the settings gave that of the project another URL or other events (WE1).
 */
const CHANGES_ENDPOINT = `(
  c.action in ('webhook.endpoint_made', 'webhook.endpoint_changed') and coalesce(c.subject_id, c.project_id) = e.id
    and (c.action = 'webhook.endpoint_changed' or e.after_position is null) and c.after ?| array['is_enabled', 'events']
  or c.action = 'settings.changed' and e.endpoint_id is null and c.after ?| array['webhook_url', 'webhook_events'])`;

/**
 * $1: the project; $2: actions that are delivered. A row per event and endpoint that gets it. Only events since the last change of
 * what the endpoint gets, before which it may have been missing or disabled, or had other events. The change is found
 * in the event log by its time, so that a little more of the log may be left out than has to be. None while the event of a
 * change has no `seq` yet.
 */
const UNDELIVERED_DECISIONS = `
  with changes as materialized (
    select seq, created_at from event
    where project_id = $1 and type = 'project.changed' and data -> 'changed' ?| array['settings', 'webhook']
  ), gets as materialized (
    select e.*, coalesce(e.events, p.webhook_events) as chosen, (
      select case when bool_or(x.seq is null) then ${Number.MAX_SAFE_INTEGER} else coalesce(max(x.seq), 0) end from changes x
      where x.created_at <= (select max(c.changed_at) from project_change c where c.project_id = $1 and ${CHANGES_ENDPOINT}) + ${BETWEEN}
    ) as since
    from webhook_endpoint e join project p on p.id = e.project_id where p.id = $1 and ${GETS_DELIVERIES}
  )
  select v.item_id, exists (select 1 from delivery w
    where w.item_id = v.item_id and w.seq = v.seq and ${endpointOf('w')} = e.id) as delivered
  from event v join item i on i.id = v.item_id and (not i.audit or v.type = 'decision.revised')
  join gets e on v.seq > e.since and ${isAfterStart('v')}
  where v.project_id = $1
    and ((v.type = 'item.finalized' and v.data ->> 'action' = any($2)) or v.type in ('decision.revised', ${inList(UNDECIDED_EVENTS)}))
    and case v.type when 'item.finalized' then 'item.decided' else v.type end = any(e.chosen)`;

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
