// Every string of the deliveries tab.
import { causeOf, type AttemptCause } from './delivery-causes.ts';

export const deliveriesWords = {
  columns: {
    state: 'State',
    made: 'Made',
    event: 'Event',
    item: 'Item',
    answer: 'Answer',
    attempt: 'Attempt',
    next: 'Next',
  },
  filter: 'Which deliveries',
  filters: { all: 'All', succeeded: 'Delivered', pending: 'Waiting', dead: 'Dead', paused: 'Paused' },
  failed: 'The deliveries could not be loaded',
  stale: 'This list could not be refreshed',
  olderFailed: 'The older deliveries could not be loaded',
  empty: 'No delivery yet',
  emptyText: 'The first final decision by a person makes one.',
  noneSuch: 'None of these',
  noneSuchText: 'No delivery is in that state now.',
  older: 'Show older',
  retrying: 'retrying',
  now: 'now',
  open: (event: string) => `Show ${event}`,
  detailFailed: 'The delivery could not be loaded',
  detailStale: 'This could not be refreshed',
  attempts: 'Attempts',
  noAttempt: 'Nothing was sent yet.',
  attempt: (n: number) => `attempt ${n}`,
  nextAttempt: (n: number) => `Attempt ${n}`,
  took: (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`,
  request: 'Request',
  body: 'Body',
  bytes: (n: string) => `${n} bytes, exactly as sent`,
  copyBody: 'Copy the body',
  response: 'Response',
  responseText: 'The beginning of it, as text',
  noResponse: 'No answer came.',
  emptyResponse: 'Its body was empty.',
  again: 'Send again',
  againHint: (n: number) => `The receiver sees the same id and bytes, with x-webhook-attempt ${n}.`,
  againFailed: 'Nothing was sent again',
  onItsWay: 'It is on its way.',
  sentAgain: (status: string) => `Sent again: ${status}.`,
  allAgain: 'Send all dead again',
  allTitle: 'Send all dead deliveries again?',
  allText:
    'Each goes out with the id and bytes it had, oldest first. A receiver that has seen one already knows it by its id.',
  allDone: (n: string, more: boolean) =>
    `${n} ${n === '1' ? 'is on its way' : 'are on their way'}${more ? '; the others stay as they were' : ''}.`,
  sentSoFar: (n: string) => `${n} sent again`,
  stoppedAfter: (n: string) => `${n} ${n === '1' ? 'was' : 'were'} sent again, then it failed`,
  stop: 'Stop',
  causes: {
    dns_error: 'the name was not found',
    blocked_address: 'the address is not allowed',
    connect_timeout: 'no connection within 5 s',
    connection_refused: 'connection refused',
    connection_reset: 'connection broken off',
    tls_error: 'the certificate was not accepted',
    timeout: 'no whole answer within 20 s',
    response_too_large: 'the answer was too large',
    redirect_refused: 'a redirect, which is not followed',
    http_4xx: 'refused by the receiver',
    http_5xx: 'the receiver failed',
    invalid_url: 'the URL cannot be used',
    internal: 'failed on our side',
    lease_lost: 'another worker took over',
  } satisfies Record<AttemptCause, string>,
} as const;

/** Why an attempt failed, in words; what the page does not know as it came. */
export function whyOf(error: string): string {
  const cause = causeOf(error);
  return cause === null ? error : deliveriesWords.causes[cause];
}
