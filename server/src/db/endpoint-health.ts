// SQL for the state of the endpoints of a project (WH10): each with its last known result.
import { GETS_DELIVERIES } from './endpoint-columns.ts';

/** The latest delivery with a known result: one that is being replayed has none yet. */
const LATEST = `d.attempt > 0 and (d.status in ('succeeded', 'dead') or d.error <> 'internal') order by d.created_at desc, d.id desc limit 1`;

/**
 * SQL for whether the latest delivery to the endpoint `e` arrived; null where none has a known result. One of the two has a row at
 * most: that of the settings is found among those of its project (`delivery_newest`), any other by its own index.
 */
export const NEWEST_ARRIVED = `(select n.status = 'succeeded' from (
  (select d.status from delivery d where e.endpoint_id is null and d.project_id = e.project_id and d.endpoint_id is null and ${LATEST})
  union all (select d.status from delivery d where d.endpoint_id = e.endpoint_id and ${LATEST})) n)`;

/** SQL for the endpoints of the project `p` that get deliveries. `arrived` as `NEWEST_ARRIVED`. */
export const ENDPOINT_STATES = `(
  select e.id, e.state = 'paused' as paused, ${NEWEST_ARRIVED} as arrived
  from webhook_endpoint e where e.project_id = p.id and ${GETS_DELIVERIES})`;
