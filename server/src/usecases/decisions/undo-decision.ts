// Undoes a provisional decision (LC2): its author may within the window, and the item is what it was before.
import { Refusal } from '@countersign/shared/errors';
import { memberRef } from '../../domain/access/actor.ts';
import { toItemRow } from '../../domain/items/item-row.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Item } from '../../db/entities/item.ts';
import { findItem } from '../access/membership.ts';
import { releaseLocks } from '../claims/release-claims.ts';
import { passDeadlines } from '../../db/deadlines/pass-deadlines.ts';
import type { MemberActor, Services } from '../services.ts';

/** One decision of an item, by the end of its undo window: a later decision ends later. */
interface NamedDecision {
  itemId: string;
  undoUntil: Date;
}

/**
 * Undoes the actor's own decision on the item: the one that is named, or the present one. Errors: `not_found`, `forbidden` (someone
 * else's), `undo_window_passed`, also where the named one was undone and the item has another.
 */
export async function undoDecision(services: Services, actor: MemberActor, of: string | NamedDecision): Promise<Item> {
  const { itemId, undoUntil } = typeof of === 'string' ? { itemId: of, undoUntil: null } : of;
  const { item, held } = await services.db.write(async (tx) => {
    const { item: before } = await findItem(tx.em, actor.userId, itemId);
    const decision = await tx.em.findOne(Decision, { itemId, audit: before.audit, revision: 1 });
    if (decision === null) throw new Refusal('undo_window_passed', 'You have no decision to undo here.');
    if (decision.reviewerId !== actor.userId) throw new Refusal('forbidden', 'Only the reviewer who decided can undo.');
    if (undoUntil !== null && decision.undoUntil?.getTime() !== undoUntil.getTime())
      throw new Refusal('undo_window_passed', 'This decision is undone already, and the item has another one.');
    const gone = await tx.em.execute(
      `delete from decision where id = ? and final_at is null and undo_until > now() returning id`,
      [decision.id],
    );
    if (gone.length === 0)
      throw new Refusal('undo_window_passed', 'The undo window has passed; the decision is final.');
    await tx.em.execute(
      `update item set status = public_status, public_status = null, decided_at = null, version = version + 1 where id = ?`,
      [itemId],
    );
    const item = await tx.em.findOneOrFail(Item, { id: itemId }, { refresh: true });
    const event = { project_id: item.projectId, item_id: item.id, version: item.version, actor: memberRef(actor) };
    tx.appendEvent({ type: 'item.undone', ...event, item: toItemRow(item, null) });
    // DL3: a deadline that passed meanwhile takes effect now.
    const passed = await passDeadlines(tx, { only: itemId, wait: true });
    if (passed.count === 0) return { item, held: [] };
    return { item: await tx.em.findOneOrFail(Item, { id: itemId }, { refresh: true }), held: passed.held };
  });
  await releaseLocks(services, held);
  return item;
}
