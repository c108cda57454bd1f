// The delivery log of a project, newest first.
import { raw } from '@mikro-orm/core';
import type { DeliveryStatus, Role } from '@countersign/shared/words';
import { Delivery } from '../../db/entities/delivery.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { decodeCursor, toPage } from './cursor.ts';
import type { PageQuery } from './list-learnings.ts';
import { targetOf } from './read-delivery.ts';

/** Of all statuses unless one is asked for. Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listDeliveries(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit, status }: PageQuery & { status?: DeliveryStatus | undefined },
): Promise<{ rows: Delivery[]; nextCursor: string | null; role: Role; reachable: boolean }> {
  return services.db.read(async (em) => {
    const role = await requireVerb(em, { userId: actor.userId, projectId }, 'see_deliveries');
    const cursor = decodeCursor(after);
    const before =
      cursor === null ? {} : { [raw('(created_at, id)')]: { $lt: raw('(?, ?::uuid)', [cursor.at, cursor.id]) } };
    const where = { $and: [{ projectId, ...(status === undefined ? {} : { status }) }, before] };
    const rows = await em.find(Delivery, where, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: limit + 1 });
    const { reachable } = await targetOf(em, projectId);
    return { ...toPage(rows, limit, (row) => ({ at: row.createdAt, id: row.id })), role, reachable };
  });
}
