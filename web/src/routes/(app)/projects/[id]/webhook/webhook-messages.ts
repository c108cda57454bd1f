// Texts of a project's webhook tab, and the advice for a test event that failed.
import type { DeliveredEvent } from '@countersign/shared/enums';
import type { WebhookTestResult } from '@countersign/shared/schemas/webhook';
import { plural } from '#lib/format/format.ts';
import { causeOf, type AttemptCause } from '../deliveries/delivery-causes.ts';

export const webhookMessages = {
  events: 'Events',
  eventsText: 'The first endpoint gets these, and GET /api/public/events lists them.',
  eventTexts: {
    'item.decided': 'A decision of a person is final.',
    'item.expired': 'An item’s deadline passed before anyone decided.',
    'item.withdrawn': 'Your pipeline withdrew an item.',
    'decision.revised': 'A supervisor or owner replaced a final decision.',
  } satisfies Record<DeliveredEvent, string>,
  /** After the text of an event that the settings cannot leave out. */
  alwaysSent: 'Always sent.',

  test: 'Send test event',
  testHint: 'Signed like a real delivery, but without a decision. Not retried.',
  testUnsaved: 'Goes to the URL as typed, which is not saved yet.',
  testFailed: 'The test event was not sent',
  result: 'Test result',
  sending: 'Sending …',
  answered: (status: number, ms: string) => `Responded with ${status} after ${ms}`,
  silent: (ms: string) => `No response after ${ms}`,
  tested: 'Sent to',
  testedUnsaved: '(not saved yet)',
  eventId: 'webhook-id',
  copyEventId: 'webhook-id: copy',
  works: 'Success (2xx).',
  answer: 'Response',
  noAnswerText: 'The response had no body.',

  /** Advice for a test event that was not answered 2xx. */
  advice: {
    byCause: {
      dns_error: 'Host not found (DNS). Check the spelling; a new name can take a while to propagate.',
      blocked_address: 'The host resolves to a private, local or reserved address. Use a public one.',
      invalid_url: 'Invalid URL. Enter a full one, such as https://example.com/hooks.',
      connection_refused: 'Connection refused. Start your endpoint, and check host, port and firewall.',
      connect_timeout: 'No connection within 5 s. Check port and firewall.',
      connection_reset:
        'The connection was reset before a response arrived. Check the logs of your endpoint, or of the proxy in front of it.',
      tls_error:
        'Certificate not accepted. It must match this host, be valid now and include its intermediates. TLS 1.2 or later is required.',
      timeout: 'Timed out after 20 s. Respond first, process later.',
      response_too_large: 'The response headers are too large. 204 without a body is enough.',
      redirect_refused: 'Redirects are not followed. Use the final URL.',
      http_4xx: 'Your endpoint rejected the request. Check its logs.',
      http_5xx: 'Your endpoint failed. Check its logs. It should return 2xx once it has stored the event.',
      internal: 'Internal error. Try again in a moment.',
      lease_lost: 'The test was interrupted. Try again in a moment.',
    } satisfies Record<AttemptCause, string>,
    byStatus: {
      400: '400. Usually a signature mismatch: check the secret, and verify the raw body.',
      401: '401. The signature was not accepted: check the secret, and verify the raw body before any parsing.',
      403: '403. A firewall, login or allowlist may be blocking the request. Or the signature does not match: check the secret, and verify the raw body.',
      404: '404. Nothing found at this path. Check the URL.',
      405: '405. The endpoint does not accept POST at this path.',
      410: '410 Gone. A real delivery would pause the webhook.',
      413: '413. The endpoint does not accept a body this large. Real deliveries are larger, because they include the decided output.',
      415: '415. The endpoint does not accept application/json.',
      429: '429. The endpoint is rate limiting. Deliveries wait as long as its Retry-After header says.',
    } as Partial<Record<number, string>>,
  },

  secret: 'Signing secret',
  secretText: 'Signs every delivery. Rotate without downtime: both secrets sign during the overlap.',
  states: {
    never: 'No secret yet. Create one so your endpoint can verify deliveries.',
    current: 'One active secret.',
    rolling: 'Rotation in progress. Add the new secret to your endpoint, then promote it.',
    previous: 'The new secret is primary. The old one still signs the secondary header.',
  },
  promotedBy: 'Promoted automatically',
  previousUntil: 'The old one expires',
  replaced: 'Rotating again replaces the old one immediately.',
  overlap: 'Overlap',
  overlapHint: 'How long both secrets sign: before the new one is promoted automatically, and as long after.',
  overlaps: (hours: number) => (hours < 24 ? plural(hours, 'hour', 'hours') : plural(hours / 24, 'day', 'days')),
  createFirst: 'Create secret',
  rotate: 'Rotate secret',
  promote: 'Promote new secret',
  shown: 'New secret',
  phaseCurrent: 'It signs all deliveries from now on.',
  phaseNext: 'It signs the secondary header until you promote it.',
  promoted: 'The new secret is now primary.',
  rotateFailed: 'The secret was not created',
  promoteFailed: 'The new secret was not promoted',

  verify: 'Verify deliveries in your endpoint',
  verifyText:
    'Complete receivers: they verify signature, timestamp and duplicates. Set COUNTERSIGN_WEBHOOK_SECRET to your signing secret.',
  code: 'verification code',
} as const;

const { byCause, byStatus } = webhookMessages.advice;

/** Advice by the usual causes, in one or two sentences; null when there is nothing to do. */
export function adviceFor({ ok, error, http_status: status }: WebhookTestResult): string | null {
  if (ok) return null;
  const cause = error === null ? null : causeOf(error);
  if (status === null) return byCause[cause ?? 'internal'];
  return byStatus[status] ?? byCause[cause ?? (status >= 500 ? 'http_5xx' : 'http_4xx')];
}
