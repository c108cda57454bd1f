// What owners are told of their webhooks (WH6): written in the transaction that ends the attempts, with the endpoint's row held.
import type { Logger } from 'pino';
import type { WebhookAlertKind } from '@countersign/shared/enums';
import type { Tx } from '../../db/database.ts';
import { type AlertState, nextAlert } from '../../domain/webhooks/webhook-alert.ts';
import type { Done } from './attempt-rows.ts';

export interface Alert {
  projectId: string;
  kind: WebhookAlertKind;
  /** The delivery whose attempt it was. */
  deliveryId: string;
  /** How many attempts that one had, since it was last sent again. */
  attempts: number;
  httpStatus: number | null;
  error: string | null;
}

/** What the owners of one project are told of these attempts, in the order given. `told` is what they know before. */
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

/** Two of one project are never of one millisecond: whoever has seen the one has not seen the other. */
const WRITE = `
  insert into webhook_alert (id, project_id, kind, delivery_id, attempts, http_status, error, created_at)
  select gen_random_uuid(), p.id, ?, ?, ?, ?, ?, greatest(clock_timestamp(),
    (select max(created_at) + interval '1 ms' from webhook_alert where project_id = p.id))
  from project p where p.id = ?`;

/** Writes them down, and that they were told. The endpoints' rows must be held. */
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
  exhausted: ['warn', 'a delivery was given up'],
  paused: ['warn', 'a webhook is paused: its receiver answered 410'],
  recovered: ['info', 'a webhook works again'],
} as const satisfies Record<WebhookAlertKind, readonly ['warn' | 'info', string]>;

/** One line for whoever runs the service, to raise their own alarms by. */
export function logAlert(log: Logger, { projectId, kind, deliveryId, httpStatus, error }: Alert): void {
  const [level, message] = LOG_MESSAGES[kind];
  log[level]({ project: projectId, alert: kind, delivery: deliveryId, http_status: httpStatus, error }, message);
}
