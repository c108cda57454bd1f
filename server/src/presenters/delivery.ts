// A line of the delivery log, and the whole of one delivery.
import type { DeliveryDetail } from '@countersign/shared/api/deliveries';
import type { Delivery as WireDelivery } from '@countersign/shared/api/insights';
import type { Role } from '@countersign/shared/words';
import { may } from '../domain/permissions.ts';
import { isReplayable } from '../domain/retry.ts';
import type { Attempt } from '../db/entities/attempt.ts';
import type { Delivery } from '../db/entities/delivery.ts';

export interface DeliveryViewer {
  role: Role;
  /** There is a URL, and its endpoint is not paused. */
  reachable: boolean;
}

/** As a member with this role sees it. */
export function presentDelivery(delivery: Delivery, { role, reachable }: DeliveryViewer): WireDelivery {
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
    abilities: { replay: reachable && may(role, 'replay_deliveries') && isReplayable(delivery.status) },
  };
}

export function presentDeliveryDetail(
  view: DeliveryViewer & { delivery: Delivery; url: string | null; attempts: Attempt[] },
): DeliveryDetail {
  const { delivery, url, attempts } = view;
  return {
    ...presentDelivery(delivery, view),
    project_id: delivery.projectId,
    url,
    body: delivery.body,
    attempts: attempts.map((attempt) => ({
      n: attempt.n,
      url: attempt.url,
      started_at: attempt.startedAt.toISOString(),
      duration_ms: attempt.totalMs,
      http_status: attempt.httpStatus ?? null,
      error: attempt.error ?? null,
      response_text: attempt.responseText ?? null,
    })),
  };
}
