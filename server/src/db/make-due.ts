// Makes finished deliveries due again, with a new schedule (WH1).
import type { ActorRef } from '@countersign/shared/schemas/parts/events';
import { DUE } from './connection/channels.ts';
import type { Tx } from './database.ts';

interface Due {
  id: string;
  item_id: string;
  attempt: number;
}

const NOT_YET = { http_status: null, error: null, next_attempt_at: null };

/**
 * A replay should be attempted now: the open circuit of one endpoint, or of each of the project, lets its next attempt through
 * immediately (WH5). In the order in which workers lock them.
 */
export async function wakeEndpoints(
  { em }: Tx,
  { projectId, endpointId }: { projectId: string; endpointId: string | null },
): Promise<void> {
  const which = [projectId, endpointId];
  const chosen = 'project_id = ? and id = coalesce(?::uuid, id) and open_until > now()';
  await em.execute(`select 1 from webhook_endpoint where ${chosen} order by id for update`, which);
  await em.execute(`update webhook_endpoint set open_until = now() where ${chosen}`, which);
}

/**
 * Only finished deliveries start again: one in progress must not be sent twice, and one without a body has nothing to
 * send (KE2). Returns how many did.
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
 * Makes pending deliveries due now, within their current schedules, the first of `ids` first. One that is already due causes no
 * event. Among concurrent calls, later ones compare with the wall clock, because their transactions may have begun before
 * and the column rounds to milliseconds, also upwards. Returns how many became due.
 */
export async function makeDueNow(
  tx: Tx,
  { projectId, ids, by }: { projectId: string; ids: readonly string[]; by: ActorRef },
): Promise<number> {
  const due = await tx.em.execute<(Due & { http_status: number | null; error: string | null; at: Date | string })[]>(
    `update delivery d set next_attempt_at = date_trunc('milliseconds', now()) - make_interval(secs => (? - w.place) / 1000.0)
     from unnest(?::uuid[]) with ordinality as w(id, place)
     where d.id = w.id and d.project_id = ? and d.status = 'pending' and d.next_attempt_at > clock_timestamp()
     returning d.id, d.item_id, d.attempt, d.http_status, d.error, d.next_attempt_at as at`,
    [ids.length, `{${ids.join(',')}}`, projectId],
  );
  await tx.em.execute('select pg_notify(?, ?)', [DUE, '']);
  for (const { id, item_id, attempt, http_status, error, at } of due) {
    const event = { project_id: projectId, actor: by, delivery_id: id, item_id, attempt, http_status, error };
    const next_attempt_at = new Date(at).toISOString();
    tx.appendEvent({ type: 'delivery.changed', ...event, status: 'pending', next_attempt_at });
  }
  return due.length;
}
