// SQL that counts the dead deliveries to an endpoint (WH6), by their own index.
import { endpointOf } from './endpoint-columns.ts';

/**
 * SQL for the number of dead deliveries to the endpoint of this expression, up to `limit`; with the limit 1, for whether there
 * are any. Without the order PostgreSQL may read the whole table until it has found that many, and for `exists` all dead ones.
 */
export const deadUpTo = (endpoint: string, limit: number): string => `(
  select count(*) from (
    select from delivery d where ${endpointOf('d')} = ${endpoint} and d.status = 'dead' order by d.id limit ${limit}) dead)`;
