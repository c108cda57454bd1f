// Makes the next attempt of a pending delivery due at once (WH8), as part of its schedule.
import { Refusal } from '@countersign/shared/errors';
import { memberRef } from '../../domain/access/actor.ts';
import { makeDueNow } from '../../db/make-due.ts';
import { beingSent, readyToSend, statusOf } from './replay-deliveries.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Makes it due; a second call has no effect. Errors: `not_found`, `forbidden`, `delivery_under_way` for one that is being sent,
 * `validation_failed` for one that waits for no attempt, has no target, or whose body was redacted (KE2).
 */
export async function sendDeliveryNow(services: Services, actor: MemberActor, id: string): Promise<void> {
  await services.db.write(async (tx) => {
    const projectId = await readyToSend(tx, actor, id);
    // The state may have changed since it was read.
    const status = await statusOf(tx, id);
    if (status === 'sending') throw beingSent();
    if (status !== 'pending') throw new Refusal('validation_failed', 'This delivery has no pending attempt.');
    await makeDueNow(tx, { projectId, ids: [id], by: memberRef(actor) });
  });
}
