// A line of the delivery log.
import type { Delivery as WireDelivery } from '@countersign/shared/api/insights';
import type { Delivery } from '../db/entities/delivery.ts';

export function presentDelivery(delivery: Delivery): WireDelivery {
  return {
    id: delivery.id,
    item_id: delivery.itemId,
    webhook_id: delivery.webhookId,
    status: delivery.status,
    attempt: delivery.attempt,
    next_attempt_at: delivery.status === 'pending' ? (delivery.nextAttemptAt?.toISOString() ?? null) : null,
    http_status: delivery.httpStatus ?? null,
    error: delivery.error ?? null,
    created_at: delivery.createdAt.toISOString(),
    completed_at: delivery.completedAt?.toISOString() ?? null,
  };
}
