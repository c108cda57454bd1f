// Presents webhook alerts in the wire format.
import type { ProjectAlert, WebhookAlert as WireAlert } from '@countersign/shared/api/alerts';
import type { WebhookAlert } from '../db/entities/webhook-alert.ts';

export function presentAlert(alert: WebhookAlert): WireAlert {
  return {
    id: alert.id,
    kind: alert.kind,
    delivery_id: alert.deliveryId ?? null,
    attempts: alert.attempts ?? null,
    http_status: alert.httpStatus ?? null,
    error: alert.error ?? null,
    created_at: alert.createdAt.toISOString(),
  };
}

type Row = Omit<ProjectAlert, 'created_at' | 'dead'> & { created_at: string | Date; dead: string | number };

/** The latest alert of a project, from its database row. */
export function presentProjectAlert(row: Row): ProjectAlert {
  return { ...row, created_at: new Date(row.created_at).toISOString(), dead: Number(row.dead) };
}
