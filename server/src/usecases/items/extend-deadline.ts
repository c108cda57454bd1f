// Extends the deadline of an open item, once (DL5): one conditional UPDATE decides against the deadline itself.
import { Refusal } from '@countersign/shared/errors';
import { LIMITS } from '@countersign/shared/limits';
import type { Tx } from '../../db/database.ts';
import { Item, type ItemColumns } from '../../db/entities/item.ts';
import { ROW_COLUMNS } from '../../db/row-columns.ts';
import { entityFromRow } from '../../db/entity-from-row.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { isOpen } from '../../domain/items/item.ts';
import { findItem, refuseArchived, refuseUnless } from '../access/membership.ts';
import { closedRefusal, expiredRefusal } from '../claims/refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';
import { appendExtended, dueBy } from '../../db/deadlines/pass-deadlines.ts';

const LATER = 'i.deadline + make_interval(secs => $2::int)';

/** $1: the item; $2: seconds; $3: the most seconds from now. */
const EXTEND = `
  with extended as (
    update item i set version = i.version + 1, deadline_extended = true,
      deadline = ${LATER}, deadline_extension = $2::int, due_at = ${dueBy(LATER)}
    where i.id = $1 and i.status in ('queued', 'escalated') and not i.deadline_extended
      and i.deadline > deadline_clock() and ${LATER} <= deadline_clock() + make_interval(secs => $3::int)
    returning i.*
  )
  select ${ROW_COLUMNS} from extended`;

/**
 * Adds `seconds` to the deadline; a claim on the item stays. Errors: `not_found`, `forbidden`, `already_decided`, `expired`,
 * `already_extended`, `validation_failed` for an item without a deadline and for one more than a year away.
 */
export async function extendDeadline(
  services: Services,
  actor: MemberActor,
  { itemId, seconds }: { itemId: string; seconds: number },
): Promise<void> {
  await services.db.write(async (tx) => {
    const { item, role } = await findItem(tx.em, actor.userId, itemId);
    refuseUnless(role, 'extend_deadline');
    await refuseArchived(tx.em, item.projectId);
    const [row] = await rawQuery<ItemColumns>(tx.em, EXTEND, [itemId, seconds, LIMITS.deadlineSeconds.most]);
    if (row === undefined) throw await refusalOf(tx, itemId);
    appendExtended(tx, entityFromRow(tx.em, Item, row), { actor: memberRef(actor) });
  });
}

async function refusalOf({ em }: Tx, itemId: string): Promise<Refusal> {
  const item = await em.findOneOrFail(Item, { id: itemId }, { refresh: true });
  if (!isOpen(item.status)) return closedRefusal(item);
  if (!item.deadline) return invalid('This item has no deadline to extend.');
  if (item.deadlineExtended)
    return new Refusal('already_extended', 'A deadline can be extended once. Decide the item before it passes.');
  const [due] = await rawQuery<{ passed: boolean }>(em, 'select $1::timestamptz <= deadline_clock() as passed', [
    item.deadline,
  ]);
  return due?.passed ? expiredRefusal() : invalid('The deadline must be at most one year away. Add fewer seconds.');
}

function invalid(detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: '#/seconds', code: 'deadline', detail }] });
}
