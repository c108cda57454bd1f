// SQL for the state of the endpoints of a project (WH10): each with its last known result.
import { endpointOf, GETS_DELIVERIES } from './endpoint-columns.ts';

/**
 * SQL for whether the latest delivery to the endpoint `e` arrived; null where none has a known result: one that is being replayed has
 * none yet. By its own index, without reading what waits for a first attempt.
 */
export const NEWEST_ARRIVED = `(
  select d.status = 'succeeded' from delivery d where ${endpointOf('d')} = e.id and d.attempt > 0
    and (d.status in ('succeeded', 'dead') or d.error <> 'internal') order by d.created_at desc, d.id desc limit 1)`;

/** SQL for the endpoints of the project `p` that get deliveries. `arrived` as `NEWEST_ARRIVED`. */
export const ENDPOINT_STATES = `(
  select e.id, e.state = 'paused' as paused, ${NEWEST_ARRIVED} as arrived
  from webhook_endpoint e where e.project_id = p.id and ${GETS_DELIVERIES})`;
