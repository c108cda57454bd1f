// A supervisor has deliveries sent again: the same id and bytes, numbered on, with the whole schedule before them once more (WH1, I5).
import { REPLAY_MOST, type REPLAYABLE } from '@countersign/shared/api/deliveries';
import { Refusal } from '@countersign/shared/errors';
import { memberRef } from '../domain/actor.ts';
import type { Tx } from '../db/database.ts';
import { requireVerb, refuseUnless } from './membership.ts';
import { decodeCursor, toPage } from './queries/cursor.ts';
import { findDelivery, targetOf } from './queries/read-delivery.ts';
import type { MemberActor, Services } from './services.ts';

/** Makes one delivery due at once. Errors: `not_found`, `forbidden`, `validation_failed` for one that is still on its way, or has nowhere to go. */
export async function replayDelivery(services: Services, actor: MemberActor, id: string): Promise<void> {
  await services.db.write(async (tx) => {
    const { delivery, role } = await findDelivery(tx.em, actor, id);
    refuseUnless(role, 'replay_deliveries');
    await refuseNowhere(tx, delivery.projectId);
    // The UPDATE says whether it has come to an end: what was read may be over by now.
    if ((await makeDue(tx, actor, { projectId: delivery.projectId, ids: [id] })) === 0) throw onItsWay();
  });
}

export interface ReplayFilter {
  projectId: string;
  status: (typeof REPLAYABLE)[number];
  /** The window in which they were made, both ends included. */
  from: Date | null;
  to: Date | null;
  /** The cursor that the last answer ended with. */
  after: string | undefined;
}

/** The same for at most 1000 that match, oldest first. Errors: `not_found`, `forbidden`, `invalid_cursor`, `validation_failed` when there is nowhere to send. */
export async function replayDeliveries(
  services: Services,
  actor: MemberActor,
  { projectId, status, from, to, after }: ReplayFilter,
): Promise<{ replayed: number; nextCursor: string | null }> {
  const cursor = decodeCursor(after);
  return services.db.write(async (tx) => {
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'replay_deliveries');
    await refuseNowhere(tx, projectId);
    const found = await tx.em.execute<{ id: string; created_at: string | Date }[]>(
      `select id, created_at from delivery where project_id = ? and status = ?
         and created_at >= coalesce(?::timestamptz, '-infinity') and created_at <= coalesce(?::timestamptz, 'infinity')
         and (created_at, id) > (coalesce(?::timestamptz, '-infinity'), coalesce(?::uuid, '00000000-0000-0000-0000-000000000000'))
       order by created_at, id limit ?`,
      [projectId, status, from, to, cursor?.at ?? null, cursor?.id ?? null, REPLAY_MOST + 1],
    );
    const page = toPage(found, REPLAY_MOST, (row) => ({ at: new Date(row.created_at), id: row.id }));
    const ids = page.rows.map((row) => row.id);
    return { replayed: await makeDue(tx, actor, { projectId, ids }), nextCursor: page.nextCursor };
  });
}

interface Due {
  id: string;
  item_id: string;
  attempt: number;
}

/** Only what has come to an end starts again: what is on its way must not be sent twice. Answers how many did. */
async function makeDue(
  tx: Tx,
  actor: MemberActor,
  { projectId, ids }: { projectId: string; ids: string[] },
): Promise<number> {
  const due = await tx.em.execute<Due[]>(
    `update delivery set status = 'pending', next_attempt_at = now(), schedule_from = attempt, completed_at = null,
       http_status = null, error = null
     where id = any(?::uuid[]) and project_id = ? and status in ('succeeded', 'dead')
     returning id, item_id, attempt`,
    [`{${ids.join(',')}}`, projectId],
  );
  for (const { id, item_id, attempt } of due) {
    const fact = { project_id: projectId, actor: memberRef(actor), delivery_id: id, item_id, attempt };
    tx.record({ type: 'delivery.changed', ...fact, status: 'pending', ...NOT_YET });
  }
  return due.length;
}

const NOT_YET = { http_status: null, error: null, next_attempt_at: null };

async function refuseNowhere({ em }: Tx, projectId: string): Promise<void> {
  const { url, reachable } = await targetOf(em, projectId);
  if (url === null)
    throw new Refusal('validation_failed', 'The project has no webhook URL: there is nowhere to send to.');
  if (!reachable)
    throw new Refusal('validation_failed', 'The endpoint is paused. Let it resume first, then send again.');
}

const onItsWay = () =>
  new Refusal('validation_failed', 'Only a delivery that has come to an end can be sent again; this one has not.');
