// From a final decision to its delivery row: the bytes are made once, here, in the transaction that stamps the event (I5, I7).
import { jsonText } from '@countersign/shared/json';
import { toDecision } from '../domain/decision.ts';
import type { Decision } from '../db/entities/decision.ts';

/** What fan-out needs of a stamped `item.finalized` event. */
export interface Finalized {
  id: string;
  seq: number;
  projectId: string;
  itemId: string;
}

/** Webhooks tell of people's decisions; automatic ones were in the pipeline's own answer (PRODUCT, Webhook). */
export function isTold(decision: Decision): boolean {
  return Boolean(decision.finalAt) && decision.action !== 'auto_approve';
}

/** The delivery of one final decision, due at once. `webhookId` comes from the ledger, so a repeat meets the unique index. */
export function deliveryOf(event: Finalized, decision: Decision, made: { id: string; at: Date }) {
  return {
    id: made.id,
    projectId: event.projectId,
    itemId: event.itemId,
    webhookId: `evt_${event.id}`,
    seq: event.seq,
    body: bodyOf(decision),
    status: 'pending' as const,
    attempt: 0,
    nextAttemptAt: made.at,
    leaseUntil: null,
    claimToken: null,
    httpStatus: null,
    error: null,
    createdAt: made.at,
    completedAt: null,
  };
}

/** The body of `item.decided`, exactly as the specification's section 6. */
function bodyOf(row: Decision): string {
  const decision = toDecision(row);
  return jsonText({
    event: 'item.decided',
    item_id: row.itemId,
    project_id: row.projectId,
    status: decision.status,
    decision,
    reviewer_id: decision.reviewer_id,
    decided_at: decision.decided_at,
  });
}
