// SQL for the deliveries of a project that wait after their second failed attempt (WH10), found by their own index.
import { COUNT_LIMIT } from '@countersign/shared/limits';
import { endpointOf } from './endpoint-columns.ts';

/**
 * Conditions on a delivery `d`. The first retry comes within seconds: what waits longer has failed twice since it was made or
 * sent again.
 */
const WAITS = `d.status in ('pending', 'sending') and d.attempt > 1 and d.attempt - d.schedule_from > 1`;

/** Nothing is sent to an endpoint that is off or removed. */
const IS_SENT = `exists (select 1 from webhook_endpoint on_e where on_e.id = ${endpointOf('d')} and on_e.is_enabled and on_e.removed_at is null)`;

/** SQL for their number, up to `COUNT_LIMIT`, in a project with the alias `p`. */
export const RETRYING = `(select count(*) from (
  select from delivery d where d.project_id = p.id and ${WAITS} and ${IS_SENT} limit ${COUNT_LIMIT}) r)`;

/** SQL for their number to the endpoint `e`, up to `COUNT_LIMIT`. */
export const RETRYING_OF_ENDPOINT = `(select count(*) from (
  select from delivery d where d.project_id = e.project_id and d.endpoint_id is not distinct from e.endpoint_id and ${WAITS}
  limit ${COUNT_LIMIT}) r)`;

/** SQL for when the oldest of them was made, in the project `$1`. */
export const OLDEST_RETRYING = `(select d.created_at from delivery d where d.project_id = $1 and ${WAITS} and ${IS_SENT} order by d.created_at limit 1)`;
