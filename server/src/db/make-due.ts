// Deliveries that have come to an end begin again: due at once, with their whole schedule before them (WH1).
import type { ActorRef } from '@countersign/shared/events';
import { DUE } from './connection/channels.ts';
import type { Tx } from './database.ts';

interface Due {
  id: string;
  item_id: string;
  attempt: number;
}

const NOT_YET = { http_status: null, error: null, next_attempt_at: null };

/** Whoever sends again wants to know now: an endpoint that is left alone gets its next attempt at once (WH5). */
export async function wakeEndpoint({ em }: Tx, projectId: string): Promise<void> {
  await em.execute(`update webhook_endpoint set open_until = now() where project_id = ? and open_until > now()`, [
    projectId,
  ]);
}

/**
 * Only what has come to an end starts again: what is on its way must not be sent twice, and what has no bytes any more has nothing to
 * send (KE2). Answers how many did.
 */
export async function makeDue(
  tx: Tx,
  { projectId, ids, by }: { projectId: string; ids: readonly string[]; by: ActorRef },
): Promise<number> {
  const due = await tx.em.execute<Due[]>(
    `update delivery set status = 'pending', next_attempt_at = now(), schedule_from = attempt, completed_at = null,
       http_status = null, error = null
     where id = any(?::uuid[]) and project_id = ? and status in ('succeeded', 'dead') and body <> ''
     returning id, item_id, attempt`,
    [`{${ids.join(',')}}`, projectId],
  );
  if (due.length === 0) return 0;
  await tx.em.execute('select pg_notify(?, ?)', [DUE, '']);
  for (const { id, item_id, attempt } of due) {
    const event = { project_id: projectId, actor: by, delivery_id: id, item_id, attempt };
    tx.appendEvent({ type: 'delivery.changed', ...event, status: 'pending', ...NOT_YET });
  }
  return due.length;
}

/**
 * A waiting one is due now, with the schedule that it has. One that is due already is not told again: of several who ask at once the
 * later ones look by the clock, for their transactions may have begun before, and the column rounds to milliseconds, also upwards.
 */
export async function makeDueNow(
  tx: Tx,
  { projectId, id, by }: { projectId: string; id: string; by: ActorRef },
): Promise<void> {
  const [row] = await tx.em.execute<(Due & { http_status: number | null; error: string | null; at: Date | string })[]>(
    `update delivery set next_attempt_at = date_trunc('milliseconds', now())
     where id = ? and project_id = ? and status = 'pending' and next_attempt_at > clock_timestamp()
     returning id, item_id, attempt, http_status, error, next_attempt_at as at`,
    [id, projectId],
  );
  await tx.em.execute('select pg_notify(?, ?)', [DUE, '']);
  if (row === undefined) return;
  const { item_id, attempt, http_status, error, at } = row;
  const event = { project_id: projectId, actor: by, delivery_id: id, item_id, attempt, http_status, error };
  tx.appendEvent({
    type: 'delivery.changed',
    ...event,
    status: 'pending',
    next_attempt_at: new Date(at).toISOString(),
  });
}
