// Cancels in batches what waits for an endpoint that was removed (WH12), and then deletes the endpoint.
import { CANCELLED } from '../db/cancelled-delivery.ts';
import { endpointOf } from '../db/endpoint-columns.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const CANCEL_MS = 5_000;
const BATCH_SIZE = 2_000;

/** Each worker takes another endpoint, or none. */
const REMOVED = `select id, project_id from webhook_endpoint where removed_at is not null order by removed_at limit 1 for update skip locked`;

/** What waits for the endpoint $1, by the index of what is due; and what is paused, by the index of the statuses of the project $2. */
const WAITING = [
  `${endpointOf('d')} = $1 and d.status in ('pending', 'sending')`,
  `d.project_id = $2 and d.status = 'paused' and d.endpoint_id = $1`,
].map((waits) => `select d.ctid from delivery d where ${waits}`);

/** $3: how many. */
const CANCEL = WAITING.map(
  (waiting) => `
  update delivery set ${CANCELLED}
  where ctid = any(array(${waiting} and d.project_id = $2 limit $3 for update skip locked)) returning 1`,
);

/** Whether anything of it, locked or not, still waits. */
const WAITS = WAITING.map((waiting) => `select 1 where exists (${waiting} and d.project_id = $2)`).join(' union ');

/** One batch of one endpoint per transaction: a crash costs one batch. */
export async function cancelDeliveriesOnce(services: Services, batchSize = BATCH_SIZE): Promise<Next> {
  const again = await services.db.write(async ({ em }) => {
    const [removed] = await rawQuery<{ id: string; project_id: string }>(em, REMOVED, []);
    if (removed === undefined) return false;
    const of = [removed.id, removed.project_id];
    for (const cancel of CANCEL) if ((await rawQuery(em, cancel, [...of, batchSize])).length > 0) return true;
    if ((await rawQuery(em, WAITS, of)).length > 0) return false;
    await rawQuery(em, 'delete from webhook_endpoint where id = $1', [removed.id]);
    return true;
  });
  return { again };
}
