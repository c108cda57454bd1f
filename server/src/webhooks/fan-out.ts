// Creates the delivery row of a final decision: the body is created once, in the transaction that assigns the event's
// sequence number (I5, I7).
import { jsonText } from '@countersign/shared/json/json';
import { toDecided, webhookIdOf } from '../domain/items/decision.ts';
import type { DecisionAction } from '@countersign/shared/enums';
import type { Decision } from '../db/entities/decision.ts';

/** A sequenced `item.finalized` event to deliver, with its decision. */
export interface DeliverableDecision {
  eventId: string;
  seq: number;
  decision: Decision;
}

/**
 * Webhooks deliver reviewers' decisions; automatic ones were in the response to the pipeline
 * (docs/spec/webhooks.md#outbound).
 */
export const isDelivered = (action: DecisionAction): boolean => action !== 'auto_approve';

/**
 * The delivery of one final decision, due immediately. `webhookId` derives from the event, so a duplicate violates the
 * unique index.
 */
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

/** UTF-16 units of bodies per batch: a full batch of the longest outputs would exceed the maximum string length. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Batches of deliveries for the database, in order: limited in size, unless a single one is longer. */
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
