// Texts of the owner alerts about webhooks (WH6) and automatic answers (AU5).
import { DEAD_COUNTED } from '@countersign/shared/limits';
import type { ProjectAlert, WebhookAlert } from '@countersign/shared/schemas/alerts';
import { count } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';
import { whyOf } from '../projects/[id]/deliveries/deliveries-messages.ts';

/** The answer, or why there was none, in brackets after a sentence. */
const reason = ({ http_status, error }: Pick<WebhookAlert, 'http_status' | 'error'>): string => {
  const why = http_status ?? (error === null ? null : whyOf(error));
  return why === null ? '' : ` (${why})`;
};

const attemptsSuffix = (attempts: number | null): string =>
  attempts === null ? '' : attempts === 1 ? ' after 1 attempt' : ` after ${attempts} attempts`;

const deadDeliveries = (dead: number, to = ''): string => {
  if (dead === 1) return '1 delivery failed permanently';
  return `${dead > DEAD_COUNTED ? `over ${count(DEAD_COUNTED)}` : count(dead)} deliveries${to} failed permanently`;
};

/** The endpoint, where a project has several. */
const target = ({ endpoint }: Pick<WebhookAlert, 'endpoint'>): string =>
  endpoint ? ` to ${endpoint.name ?? 'a removed endpoint'}` : '';

export const alertMessages = {
  /** The latest alert of an endpoint, and how many deliveries to it are dead now; or one about the error budget. */
  sentence: (alert: ProjectAlert): Sentence => {
    const { kind, dead, attempts, project_name: name } = alert;
    if (kind === 'over_budget') return ['', name, ': auto-approvals may exceed the error budget.'];
    if (kind === 'threshold_raised')
      return ['', name, ': auto-approvals may exceed the error budget, so the auto-approve threshold was raised.'];
    const to = target(alert);
    if (kind === 'paused') return ['', name, `: webhook${to} paused (410 Gone).`];
    if (kind === 'recovered')
      return ['', name, `: webhook${to} works again${dead === 0 ? '' : `; ${deadDeliveries(dead)}`}.`];
    // The attempts of one say nothing about the others.
    const what =
      dead === 1
        ? `a delivery${to} failed permanently${attemptsSuffix(attempts)}${reason(alert)}`
        : deadDeliveries(dead, to);
    return ['', name, `: ${what}.`];
  },
  /** The same in the list of one project. */
  line: (alert: WebhookAlert): string => {
    const to = target(alert);
    if (alert.kind === 'paused') return `Webhook${to} paused (410 Gone)`;
    if (alert.kind === 'recovered') return `Webhook${to} works again`;
    return `A delivery${to} failed permanently${attemptsSuffix(alert.attempts)}${reason(alert)}`;
  },
  toDeliveries: 'View deliveries',
  toWebhook: 'Open webhook',
  toAudits: 'View audits',
  gotIt: 'Got it',
  failed: "Couldn't save that.",

  list: 'Notifications',
  listFailed: "Couldn't load the notifications",
  none: 'None yet. Owners are notified when a delivery fails permanently, when the webhook is paused (410) and when it recovers.',
} as const;
