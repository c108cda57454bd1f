// SQL that counts the dead deliveries to an endpoint (WH6) by the index `delivery_dead`.
import { endpointOf } from './endpoint-columns.ts';

/**
 * SQL for the number of dead deliveries to the endpoint with this ID, up to `limit`; `endpoint` is an SQL expression. Without
 * `order by`, PostgreSQL may read the whole table to find so many. `exists` may read all dead deliveries: use the limit 1 instead.
 */
export const deadUpTo = (endpoint: string, limit: number): string => `(
  select count(*) from (
    select from delivery d where ${endpointOf('d')} = ${endpoint} and d.status = 'dead' order by d.id limit ${limit}) dead)`;
