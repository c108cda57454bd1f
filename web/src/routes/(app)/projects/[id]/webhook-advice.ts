// What to do about a test event that was not answered 2xx, by the usual causes.
import type { WebhookTestResult } from '@countersign/shared/api/webhook';

/** By the word that deliveries use for it. */
const BY_ERROR: Record<string, string> = {
  dns_error: 'The host has no address. Check its spelling; a new name may take a while to be known everywhere.',
  blocked_address: 'The host leads to a private, local or reserved address by now. Use a public one.',
  invalid_url: 'The URL cannot be used. Write a full one, such as https://example.com/hooks.',
  connection_refused: 'Nothing listens there. Start the receiver, and check host, port and firewall.',
  connect_timeout: 'The host did not take the connection within 5 seconds. Check port and firewall.',
  connection_reset:
    'The connection broke off before an answer came. Look at the log of the receiver, or of the proxy before it.',
  tls_error:
    'The certificate was not accepted. It must be for this host, valid today, and sent with its intermediates; TLS 1.2 or later.',
  timeout: 'There was no whole answer within 20 seconds. Answer first, do the work after.',
  response_too_large: 'The headers of the answer are too large. 204 without a body is enough.',
  redirect_refused: 'Redirects are not followed. Use the URL it leads to.',
  internal: 'It failed on our side. Try again in a moment.',
};

const BY_STATUS: Record<number, string> = {
  400: 'The receiver did not like the request. Most often the signature does not hold: see 401.',
  401: 'The receiver does not believe the signature. Does it have this secret, and does it verify the raw body, before any parsing?',
  403: 'Something before the receiver forbids the request: a firewall, a login, or an allow list. Or the signature does not hold: see 401.',
  404: 'Nothing is at this path. Check the path of the URL.',
  405: 'The receiver does not take POST at this path.',
  410: 'The receiver says that it is gone. A delivery that is answered so pauses the webhook.',
  413: 'The receiver takes no body of this size. Deliveries are larger: they carry the answer that was decided.',
  415: 'The receiver does not take application/json.',
  429: 'The receiver asks us to slow down. Deliveries wait as long as its Retry-After says.',
};

const FAILED = 'The receiver failed. Look at its log: it has to answer 2xx once it has stored the event.';
const REFUSED = 'The receiver refused the request. Look at its log.';

/** One or two sentences; null when there is nothing to do. */
export function adviceFor({ ok, error, http_status: status }: WebhookTestResult): string | null {
  if (ok) return null;
  if (status === null) return BY_ERROR[error ?? ''] ?? BY_ERROR['internal'] ?? REFUSED;
  return BY_STATUS[status] ?? BY_ERROR[error ?? ''] ?? (status >= 500 ? FAILED : REFUSED);
}
