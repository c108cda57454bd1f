// Replays many deliveries, or makes pending ones due, oldest first, one batch per transaction: a crash costs one batch.
import type { Tx } from '../db/database.ts';
import { endpointOf, GETS_DELIVERIES } from '../db/endpoint-columns.ts';
import { makeDue, makeDueNow } from '../db/make-due.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** How many deliveries one transaction makes due. */
const BATCH_SIZE = 200;

interface Running {
  id: string;
  project_id: string;
  endpoint_id: string | null;
  status: string;
  from_at: Date | string | null;
  to_at: Date | string;
  cursor_at: Date | string | null;
  cursor_id: string | null;
  started_by: string | null;
  started_by_name: string;
}

/**
 * Runs the next batch of one replay. Several workers may run it concurrently: each takes another replay, or none. Among
 * several replays, the one with the least progress continues.
 */
export async function replayOnce(services: Services, batchSize = BATCH_SIZE): Promise<Next> {
  const [found] = await services.db.read((em) => em.execute(`select id from replay where state = 'running' limit 1`));
  // Most runs end here, without a transaction.
  if (found === undefined) return {};
  const worked = await services.db.write(async (tx) => {
    const [running] = await tx.em.execute<Running[]>(
      `select * from replay where state = 'running' order by replayed, created_at, id limit 1 for update skip locked`,
    );
    if (running === undefined) return false;
    const targets = await targetsOf(tx, running);
    if (targets.length > 0) await replayBatch(services, tx, { running, targets, batchSize });
    else await end(services, tx, running.id);
    return true;
  });
  return { again: worked };
}

/**
 * The endpoints of a replay. Deliveries must not become due for one that was removed meanwhile. Their rows are locked before those
 * of the deliveries, as the workers do: one that pauses an endpoint changes its pending deliveries too.
 */
async function targetsOf({ em }: Tx, { project_id, endpoint_id }: Running): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select e.id from project p join webhook_endpoint e on e.project_id = p.id
     where p.id = ? and e.id = coalesce(?::uuid, e.id) and ${GETS_DELIVERIES} and e.state = 'active' order by e.id for share of e`,
    [project_id, endpoint_id],
  );
  return rows.map(({ id }) => id);
}

async function end(services: Services, { em }: Tx, id: string): Promise<void> {
  await em.execute(`update replay set state = 'cancelled', ended_at = ? where id = ?`, [services.clock.now(), id]);
}

async function replayBatch(
  services: Services,
  tx: Tx,
  { running, targets, batchSize }: { running: Running; targets: readonly string[]; batchSize: number },
): Promise<void> {
  const { id, project_id: projectId, status, from_at, to_at, cursor_at, cursor_id } = running;
  const found = await tx.em.execute<{ id: string; created_at: Date | string }[]>(
    `select id, created_at from delivery d where project_id = ? and status = ? and ${endpointOf('d')} = any(?::uuid[])
       and created_at >= coalesce(?::timestamptz, '-infinity') and created_at <= ?::timestamptz
       and (created_at, id) > (coalesce(?::timestamptz, '-infinity'), coalesce(?::uuid, '00000000-0000-0000-0000-000000000000'))
     order by created_at, id limit ?`,
    [projectId, status, `{${targets.join(',')}}`, from_at, to_at, cursor_at, cursor_id, batchSize],
  );
  const by = { kind: 'member' as const, id: running.started_by, name: running.started_by_name };
  const batch = { projectId, ids: found.map((row) => row.id), by };
  const replayed = await (status === 'pending' ? makeDueNow : makeDue)(tx, batch);
  const last = found.at(-1);
  const over = found.length < batchSize;
  await tx.em.execute(
    `update replay set replayed = replayed + ?, cursor_at = coalesce(?::timestamptz, cursor_at), cursor_id = coalesce(?::uuid, cursor_id),
       state = ?, ended_at = ? where id = ?`,
    [
      replayed,
      last?.created_at ?? null,
      last?.id ?? null,
      over ? 'done' : 'running',
      over ? services.clock.now() : null,
      id,
    ],
  );
}
