// From a final decision to its delivery row: the bytes are made once, here, in the transaction that stamps the event (I5, I7).
import { jsonText } from '@countersign/shared/json/json';
import { toDecided, webhookIdOf } from '../domain/items/decision.ts';
import type { DecisionAction } from '@countersign/shared/enums';
import type { Decision } from '../db/entities/decision.ts';

/** A stamped `item.finalized` event that is told, with its decision. */
export interface DeliverableDecision {
  eventId: string;
  seq: number;
  decision: Decision;
}

/** Webhooks tell of people's decisions; automatic ones were in the pipeline's own answer (docs/spec/webhooks.md#outbound). */
export const isDelivered = (action: DecisionAction): boolean => action !== 'auto_approve';

/** The delivery of one final decision, due at once. `webhookId` comes from the ledger, so a repeat meets the unique index. */
export function deliveryOf({ eventId, seq, decision }: DeliverableDecision, id: string, at: Date) {
  return {
    id,
    projectId: decision.projectId,
    itemId: decision.itemId,
    webhookId: webhookIdOf(eventId),
    seq,
    body: jsonText(toDecided(decision)),
    dueAt: at,
  };
}

/** UTF-16 units of bodies in one portion: a whole batch of the longest outputs would be more than a string can be. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Deliveries as they travel to the database together, in their order: at most so much text at once, unless one alone is longer. */
export function batchesOf<T extends { body: string }>(deliveries: readonly T[], most = MOST_TEXT): T[][] {
  const batches: T[][] = [];
  let room = 0;
  for (const delivery of deliveries) {
    if (batches.length === 0 || delivery.body.length > room) {
      batches.push([]);
      room = most;
    }
    room -= delivery.body.length;
    batches.at(-1)?.push(delivery);
  }
  return batches;
}
