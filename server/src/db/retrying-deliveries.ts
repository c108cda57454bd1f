// SQL for the deliveries of a project that wait after their second failed attempt (WH10), found by their own index.
import { COUNT_LIMIT } from '@countersign/shared/limits';

/**
 * Conditions on a delivery `d`. The first retry comes within seconds: what waits longer has failed twice since it was made or
 * sent again.
 */
const WAITS = `d.status in ('pending', 'sending') and d.attempt > 1 and d.attempt - d.schedule_from > 1`;

/** SQL for their number, up to `COUNT_LIMIT`, in a project with the alias `p`. */
export const RETRYING = `(select count(*) from (
  select from delivery d where d.project_id = p.id and ${WAITS} limit ${COUNT_LIMIT}) r)`;

/** SQL for their number to the endpoint `e`, up to `COUNT_LIMIT`. */
export const RETRYING_OF_ENDPOINT = `(select count(*) from (
  select from delivery d where d.project_id = e.project_id and d.endpoint_id is not distinct from e.endpoint_id and ${WAITS}
  limit ${COUNT_LIMIT}) r)`;

/** SQL for when the oldest of them was made, in the project `$1`. */
export const OLDEST_RETRYING = `(select d.created_at from delivery d where d.project_id = $1 and ${WAITS} order by d.created_at limit 1)`;
