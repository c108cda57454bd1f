// A supervisor has the next attempt of a waiting delivery made at once (WH8): it is one of its schedule, and the others stay as they are.
import { Refusal } from '@countersign/shared/errors';
import { memberRef } from '../../domain/access/actor.ts';
import { makeDueNow } from '../../db/make-due.ts';
import { beingSent, readyToSend, statusOf } from './replay-deliveries.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Makes it due; one that is due already stays so, however often it is asked for. Errors: `not_found`, `forbidden`, `delivery_under_way`
 * for one that is being sent, `validation_failed` for one that waits for nothing, has nowhere to go, or no bytes any more (KE2).
 */
export async function sendDeliveryNow(services: Services, actor: MemberActor, id: string): Promise<void> {
  await services.db.write(async (tx) => {
    const projectId = await readyToSend(tx, actor, id);
    // What was read may be over by now.
    const status = await statusOf(tx, id);
    if (status === 'sending') throw beingSent();
    if (status !== 'pending') throw new Refusal('validation_failed', 'This delivery waits for no attempt.');
    await makeDueNow(tx, { projectId, id, by: memberRef(actor) });
  });
}
