// Advice for a test event that was not answered 2xx, by the usual causes.
import type { WebhookTestResult } from '@countersign/shared/api/webhook';
import { causeOf } from '../deliveries/delivery-causes.ts';
import { webhookMessages } from './webhook-messages.ts';

const { byCause, byStatus } = webhookMessages.advice;

/** One or two sentences; null when there is nothing to do. */
export function adviceFor({ ok, error, http_status: status }: WebhookTestResult): string | null {
  if (ok) return null;
  const cause = error === null ? null : causeOf(error);
  if (status === null) return byCause[cause ?? 'internal'];
  return byStatus[status] ?? byCause[cause ?? (status >= 500 ? 'http_5xx' : 'http_4xx')];
}
