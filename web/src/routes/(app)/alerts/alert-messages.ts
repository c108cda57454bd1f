// Every string of what owners are told of a webhook (WH6) and of automatic answers (AU5).
import { DEAD_COUNTED, type ProjectAlert, type WebhookAlert } from '@countersign/shared/api/alerts';
import { count } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';
import { whyOf } from '../projects/[id]/deliveries/deliveries-messages.ts';

/** What was answered, or why nothing was, in brackets behind a sentence. */
const reason = ({ http_status, error }: Pick<WebhookAlert, 'http_status' | 'error'>): string => {
  const why = http_status ?? (error === null ? null : whyOf(error));
  return why === null ? '' : ` (${why})`;
};

const attemptsSuffix = (attempts: number | null): string =>
  attempts === null ? '' : attempts === 1 ? ' after 1 attempt' : ` after ${attempts} attempts`;

const deadDeliveries = (dead: number): string => {
  if (dead === 1) return '1 delivery was given up';
  return `${dead > DEAD_COUNTED ? `over ${count(DEAD_COUNTED)}` : count(dead)} deliveries were given up`;
};

export const alertMessages = {
  /** Of one project: the last thing, and how many deliveries are dead now. */
  told: (alert: ProjectAlert): Sentence => {
    const { kind, dead, attempts, project_name: name } = alert;
    if (kind === 'over_budget')
      return ['Automatic answers of ', name, ' may be wrong more often than its budget allows.'];
    if (kind === 'threshold_raised')
      return ['Automatic answers of ', name, ' may be wrong too often: its automatic threshold was raised.'];
    if (kind === 'paused') return ['Webhook of ', name, ' is paused: the receiver answered 410.'];
    if (kind === 'recovered')
      return ['Webhook of ', name, ` works again${dead === 0 ? '' : `; ${deadDeliveries(dead)}`}.`];
    // How the last one went says nothing of the others.
    const what =
      dead === 1 ? `a delivery was given up${attemptsSuffix(attempts)}${reason(alert)}` : deadDeliveries(dead);
    return ['Webhook of ', name, `: ${what}.`];
  },
  /** The same in the list of one project. */
  line: (alert: WebhookAlert): string => {
    if (alert.kind === 'paused') return 'It was paused: the receiver answered 410';
    if (alert.kind === 'recovered') return 'It worked again';
    return `A delivery was given up${attemptsSuffix(alert.attempts)}${reason(alert)}`;
  },
  toDeliveries: 'Show deliveries',
  toWebhook: 'Open webhook',
  toAudits: 'Show audits',
  gotIt: 'Got it',
  failed: 'Not noted.',

  list: 'What owners were told',
  listFailed: 'What owners were told could not be loaded',
  none: 'Nothing so far. Owners are told on every page when a delivery is given up, when the receiver answers 410 and is paused, and when it works again.',
} as const;
