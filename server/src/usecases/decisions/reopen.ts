// A supervisor returns an item to the queue that routing had rejected. What a person rejected stays rejected (LC).
import { Refusal } from '@countersign/shared/errors';
import { memberRef } from '../../domain/access/actor.ts';
import { isReopenable } from '../../domain/items/item.ts';
import { toItemRow } from '../../domain/items/item-row.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Item } from '../../db/entities/item.ts';
import type { Em } from '../../db/orm.ts';
import { findItem, refuseArchived, refuseUnless } from '../access/membership.ts';
import { closedRefusal } from '../claims/refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Queues the item. Errors: `not_found`, `forbidden`, `already_decided`, `expired` once its deadline has passed,
 * `validation_failed` for one that is open, or whose content was redacted (KE2).
 */
export async function reopen(
  services: Services,
  actor: MemberActor,
  { itemId, reason }: { itemId: string; reason: string | null },
): Promise<void> {
  await services.db.write(async (tx) => {
    const { item, role } = await findItem(tx.em, actor.userId, itemId);
    refuseUnless(role, 'reopen');
    await refuseArchived(tx.em, item.projectId);
    const decided = (await tx.em.count(Decision, { itemId })) > 0;
    if (!isReopenable(item, decided)) throw refused(item);
    if (item.redactedAt) throw redacted();
    const moved = await tx.em.execute<{ id: string }[]>(
      `update item set status = 'queued', decided_at = null, version = version + 1
       where id = ? and status = 'rejected' and version = ? and emptied_at is null and expired_at is null
         and (deadline is null or deadline > deadline_clock()) returning id`,
      [itemId, item.version],
    );
    if (moved.length === 0) throw await refusedMeanwhile(tx.em, itemId);
    const now = await tx.em.findOneOrFail(Item, { id: itemId }, { refresh: true });
    const event = { project_id: now.projectId, item_id: itemId, version: now.version, actor: memberRef(actor) };
    tx.appendEvent({ type: 'item.queued', ...event, item: toItemRow(now, null), reason });
  });
}

function refused(item: Item): Refusal {
  if (item.status !== 'queued' && item.status !== 'escalated') return closedRefusal(item);
  const detail = 'This item is already waiting for review; only a rejected item can be reopened.';
  return new Refusal('validation_failed', detail);
}

/** Its deadline has passed, or somebody else changed it first. */
async function refusedMeanwhile(em: Em, itemId: string): Promise<Refusal> {
  const item = await em.findOneOrFail(Item, { id: itemId }, { refresh: true });
  if (item.redactedAt) return redacted();
  const decided = (await em.count(Decision, { itemId })) > 0;
  return isReopenable(item, decided) ? tooLate() : refused(item);
}

/** The pipeline waits no longer, so an answer would reach nobody. */
const tooLate = () =>
  new Refusal('expired', 'The deadline of this item has passed. Submit it again to have it reviewed.');

const redacted = () =>
  new Refusal(
    'validation_failed',
    'The submission was deleted under the retention policy. Submit it again to have it reviewed.',
  );
