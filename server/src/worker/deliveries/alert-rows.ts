// Webhook alerts for owners (WH6): written in the transaction that records the attempts, with the endpoint's row
// locked.
import type { Logger } from 'pino';
import type { WebhookAlertKind } from '@countersign/shared/enums';
import type { Tx } from '../../db/database.ts';
import { type AlertState, nextAlert } from '../../domain/webhooks/webhook-alert.ts';
import type { Done } from './attempt-rows.ts';

export interface Alert {
  projectId: string;
  kind: WebhookAlertKind;
  /** The delivery of the attempt. */
  deliveryId: string;
  /** The attempts of that delivery since its last replay. */
  attempts: number;
  httpStatus: number | null;
  error: string | null;
}

/**
 * The alerts that these attempts cause for the owners of one project, in the given order. `told` is what they were
 * notified of before.
 */
export function alertsOf(state: AlertState, ended: readonly Pick<Done, 'leased' | 'outcome' | 'next'>[]): Alert[] {
  const alerts: Alert[] = [];
  let known = state;
  for (const { leased, outcome, next } of ended) {
    const { alert: kind, state: after } = nextAlert(known, next.kind);
    known = after;
    if (kind === null) continue;
    const { id: deliveryId, projectId, attempt, scheduleFrom } = leased;
    const { httpStatus, error } = outcome;
    alerts.push({ projectId, kind, deliveryId, attempts: attempt - scheduleFrom, httpStatus, error });
  }
  return alerts;
}

/** Two alerts of one project never share a millisecond, so that seeing one does not mark the other as seen. */
const WRITE = `
  insert into webhook_alert (id, project_id, kind, delivery_id, attempts, http_status, error, created_at)
  select gen_random_uuid(), p.id, ?, ?, ?, ?, ?, greatest(clock_timestamp(),
    (select max(created_at) + interval '1 ms' from webhook_alert where project_id = p.id))
  from project p where p.id = ?`;

/** Writes the alerts, and that owners were notified. The endpoints' rows must be locked. */
export async function writeAlerts({ em }: Tx, alerts: readonly Alert[]): Promise<void> {
  for (const { projectId, kind, deliveryId, attempts, httpStatus, error } of alerts) {
    await em.execute(WRITE, [kind, deliveryId, attempts, httpStatus, error, projectId]);
    await em.execute(
      `update webhook_endpoint set in_trouble = ?, alerted_at = case when ? then clock_timestamp() else alerted_at end
       where project_id = ?`,
      [kind !== 'recovered', kind === 'exhausted', projectId],
    );
  }
}

const LOG_MESSAGES = {
  exhausted: ['warn', 'a delivery failed permanently'],
  paused: ['warn', 'a webhook is paused: its receiver responded with 410'],
  recovered: ['info', 'a webhook works again'],
} as const satisfies Record<WebhookAlertKind, readonly ['warn' | 'info', string]>;

/** One log line for the operator, as a basis for their own alerts. */
export function logAlert(log: Logger, { projectId, kind, deliveryId, httpStatus, error }: Alert): void {
  const [level, message] = LOG_MESSAGES[kind];
  log[level]({ project: projectId, alert: kind, delivery: deliveryId, http_status: httpStatus, error }, message);
}
