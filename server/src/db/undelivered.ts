// SQL that finds endpoints with undelivered webhooks, and counts their due deliveries.
import { endpointOf, GETS_DELIVERIES } from './endpoint-columns.ts';

/** For `with recursive`: the endpoints with undelivered webhooks, found by skipping along the index: endpoints without any cost nothing. */
export const UNDELIVERED = `undelivered as (
  (select ${endpointOf('d')} as endpoint_id from delivery d where d.status in ('pending', 'sending') order by ${endpointOf('d')} limit 1)
  union all
  select (select ${endpointOf('d')} from delivery d
    where d.status in ('pending', 'sending') and ${endpointOf('d')} > u.endpoint_id order by ${endpointOf('d')} limit 1)
  from undelivered u where u.endpoint_id is not null)`;

/**
 * SQL that counts pending deliveries whose time has come, up to `limit`; needs `UNDELIVERED`. Counts nothing for an endpoint that is
 * off, paused or suspended (WH5), also while it is probed.
 */
export const dueUpTo = (limit: number): string => `(
  select count(*) from (
    select from undelivered u join webhook_endpoint e on e.id = u.endpoint_id
    join project p on p.id = e.project_id and ${GETS_DELIVERIES}
    cross join lateral (select from delivery d
      where ${endpointOf('d')} = e.id and d.status = 'pending' and d.next_attempt_at <= now() limit ${limit}) d
    where e.state = 'active' and e.open_until is null limit ${limit}) due)`;
