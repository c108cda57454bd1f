// Texts of the deliveries tab.
import type { Attempt, DeliveryDetail, Timings, Delivery } from '@countersign/shared/schemas/deliveries';
import { took } from '#lib/format/format.ts';
import { ITEM_STYLE } from '#lib/status.ts';
import { causeOf, type AttemptCause } from './delivery-causes.ts';
import type { DeliveryQuery, Choice, Kind } from './delivery-search.ts';

type Run = Delivery['run'];

export const deliveriesMessages = {
  columns: {
    state: 'State',
    made: 'Created',
    event: 'Details',
    item: 'Item',
    decision: 'Decision',
    answer: 'Response',
    took: 'Duration',
    attempt: 'Attempt',
    next: 'Next retry',
  },
  filter: 'Delivery status',
  filters: {
    all: 'All',
    succeeded: 'Delivered',
    pending: 'Waiting',
    failed: 'Failed',
    dead: 'Dead',
    paused: 'Paused',
  } satisfies Record<Choice, string>,
  search: 'Find by status code, event ID or item ID',
  placeholder: 'Status code, event ID or item ID',
  searchHint: 'Status codes: 503, a class such as 5xx, or none for no response. Event IDs start with evt_.',
  unknownWord: (word: string) =>
    `“${word}” is not a status code (503, 5xx, none), an event ID (evt_…) or an item ID (a UUID).`,
  twice: {
    code: 'Search for one status code at a time.',
    event: 'Search for one event ID at a time.',
    item: 'Search for one item ID at a time.',
  } satisfies Record<Kind, string>,
  clear: 'Clear the filter',
  clearShort: 'Clear',
  failed: 'The deliveries could not be loaded',
  stale: 'This list could not be refreshed',
  olderFailed: 'Older deliveries could not be loaded',
  empty: 'No deliveries yet',
  emptyText: 'The first final decision by a reviewer is delivered here.',
  noneSuch: 'No deliveries match',
  noneSuchText: (asked: string) => `Nothing matches ${asked}.`,
  askedFor: {
    status: (word: string) => `“${word}”`,
    code: (code: string) => (code === 'none' ? 'no response' : `response ${code}`),
    event: (id: string) => `event ${id}`,
    endpoint: 'this endpoint',
    item: (id: string) => `item ${id}`,
  },
  unreadable: 'Cannot search for that',
  older: 'Show older',
  retrying: 'retrying',
  now: 'now',
  due: 'due',
  ofRun: ({ attempt, of }: Run) => `${attempt}/${of}`,
  ofRunTitle: ({ attempt, of }: Run, all: string) =>
    `Attempt ${attempt} of ${of} in this schedule; ${all} in total. Resending starts a new schedule.`,
  open: (event: string) => `Show ${event}`,
  detailFailed: 'The delivery could not be loaded',
  detailStale: 'The delivery could not be refreshed',
  attempts: 'Attempts',
  noAttempt: 'Not sent yet.',
  beingSent: 'Sending now.',
  attemptsGone: (n: string) =>
    n === '1'
      ? 'The attempt was deleted under the retention policy.'
      : `The ${n} attempts were deleted under the retention policy.`,
  attempt: (n: number) => `attempt ${n}`,
  nextAttempt: (n: number) => `Attempt ${n}`,
  showAttempt: (n: number) => `Show request and response of attempt ${n}`,
  times: { dns_ms: 'DNS', connect_ms: 'connect', tls_ms: 'TLS', first_byte_ms: 'response' } satisfies Record<
    keyof Timings,
    string
  >,
  reusedConnection: 'reused connection',
  took,
  request: 'Request',
  requestHeaders: 'Request headers',
  masked: 'Signatures are hidden.',
  notSent: 'Never sent: no connection was made.',
  curl: 'Copy as curl',
  curlTitle: 'Copy a command that sends the same bytes, signed with the secret you fill in',
  body: 'Body',
  bytes: (n: string) => `${n} bytes, raw`,
  copyBody: 'Copy body',
  bodyGone: 'The body was deleted under the retention policy, so this delivery cannot be resent.',
  response: 'Response',
  responseHeaders: 'Response headers',
  noHeaders: 'No headers were saved.',
  responseText: 'First part of the body, as text',
  noResponse: 'No response.',
  emptyResponse: 'The body was empty.',
  responseGone: 'The response was deleted under the retention policy.',
  eventId: 'Event',
  itemId: 'Item',
  copyEvent: 'Copy event ID',
  copyItem: 'Copy item ID',
  openItem: 'Open the item',
  ofThisItem: 'All deliveries for this item',
  resend: 'Resend',
  resendHint: (n: number) => `Your endpoint gets the same webhook-id and body, with x-webhook-attempt ${n}.`,
  resendFailed: 'Nothing was resent',
  itemGone: 'Content deleted',
  edited: 'edited',
  answered: 'answered',
  revised: (word: string) => `revised: ${word}`,
  byDeadline: (word: string) => `${word} by deadline`,
  retryNow: 'Retry now',
  retryThis: (event: string) => `Retry ${event} now`,
  sendNowHint: (n: number) => `Makes attempt ${n} immediately. Later attempts stay scheduled.`,
  sendNowFailed: 'Nothing was sent',
  arrived: (share: string, of: string) => `${share} of ${of} arrived`,
  arrivedTitle: 'The share of the deliveries that ended. Waiting ones have no result yet.',
  p95: (duration: string) => `p95 ${duration}`,
  p95Title: '95% of the attempts took at most this long.',
  period: 'last 24 h',
  newest: (limit: string) => `newest ${limit} of the last 24 h`,
  noneRecent: 'No delivery ended in the last 24 h',
  waitingForRetry: (n: string) => `${n} waiting for a later attempt`,
  retryAll: 'Retry all now',
  retryAllTitle: 'Makes the next attempt of each waiting delivery now, oldest first. Later attempts stay scheduled.',
  retryAllFailed: 'Nothing was retried',
  summaryStale: 'The counts could not be refreshed',
  sentNow: (status: string) => `Sent: ${status}.`,
  onItsWay: 'Queued for delivery.',
  resent: (status: string) => `Resent: ${status}.`,
  many: 'Bulk resend',
  manyTitle: 'Resend deliveries',
  manyText: 'Runs in the background, oldest first. You can stop it at any time.',
  receiverSees:
    'Each keeps its webhook-id and body, with a higher x-webhook-attempt. Your endpoint may get duplicates: deduplicate by webhook-id.',
  endpoint: 'Endpoint',
  allEndpoints: 'All endpoints',
  removedEndpoint: 'Removed endpoint',
  which: 'Deliveries to resend',
  since: 'Created since',
  sinceHint: 'Leave empty for all. In your time zone.',
  sendThem: 'Resend',
  testTitle: 'Send a signed test event to the saved URL. Test events are not listed here.',
  testClose: 'Close result',
  progress: 'Resend progress',
  sending: (done: string, total: string) => `Resending: ${done} of ${total}`,
  retryingAll: (done: string, total: string) => `Retrying: ${done} of ${total}`,
  begunBy: 'started by',
  allSent: (n: string) => `Resending ${n} ${n === '1' ? 'delivery' : 'deliveries'}.`,
  allRetried: (n: string) => `Retrying ${n} ${n === '1' ? 'delivery' : 'deliveries'}.`,
  noneToSend: 'There are no deliveries to resend.',
  noneToRetry: 'No delivery waits for a later attempt.',
  stoppedAfter: (done: string, total: string) => `Stopped after ${done} of ${total}. The others are unchanged.`,
  stop: 'Stop',
  stopFailed: 'Resending could not be stopped',
  progressUnknown: 'Progress could not be refreshed and may be out of date.',
  causes: {
    dns_error: 'host not found',
    blocked_address: 'address not allowed',
    connect_timeout: 'no connection within 5 s',
    connection_refused: 'connection refused',
    connection_reset: 'connection reset',
    tls_error: 'certificate not accepted',
    timeout: 'timed out after 20 s',
    response_too_large: 'response too large',
    redirect_refused: 'redirect (not followed)',
    http_4xx: 'client error',
    http_5xx: 'server error',
    invalid_url: 'invalid URL',
    internal: 'internal error',
    lease_lost: 'another worker took over',
  } satisfies Record<AttemptCause, string>,
} as const;

/** What a delivery reports: `edited`, `revised: rejected`, `rejected by deadline`. */
export function reportOf({ event, status, action }: NonNullable<Delivery['reports']>): string {
  const { edited, answered, revised, byDeadline } = deliveriesMessages;
  const { word } = ITEM_STYLE[status];
  if (event === 'item.withdrawn' || status === 'expired') return word;
  if (event === 'item.expired') return byDeadline(word);
  const decision = action === 'edit' ? edited : action === 'respond' ? answered : word;
  return event === 'decision.revised' ? revised(decision) : decision;
}

/** Why an attempt failed, as text; an unknown cause is shown as received. */
export function whyOf(error: string): string {
  const cause = causeOf(error);
  return cause === null ? error : deliveriesMessages.causes[cause];
}

/** How an attempt ended: `503 · server error`. */
export const outcomeOf = ({ http_status, error }: Pick<Attempt, 'http_status' | 'error'>): string =>
  [http_status, error === null ? null : whyOf(error)].filter((part) => part !== null).join(' · ');

const BEFORE_SENDING: readonly (string | null)[] = [
  'invalid_url',
  'dns_error',
  'blocked_address',
  'connect_timeout',
  'connection_refused',
  'tls_error',
];

/** Whether it was tried and its attempts were deleted (KE3). A delivery that is being sent now may have had none before. */
export const attemptsGone = ({ attempt, attempts, status }: DeliveryDetail): boolean =>
  attempts.length === 0 && attempt > 0 && status !== 'sending';

/** Whether the bytes of a delivery and its answers were redacted (KE2): every delivery had a body. */
export const bytesGone = ({ body }: DeliveryDetail): boolean => body === '';

/** Whether an attempt ended before any byte of the request was sent. */
export const reachedNobody = ({ error }: Attempt): boolean => BEFORE_SENDING.includes(error);

/** The filter as text: `“Failed”, response 503`. */
export function namesOf({ choice, filter: { code, event, endpoint, item } }: DeliveryQuery): string {
  const { askedFor, filters } = deliveriesMessages;
  const names = [
    choice === 'all' ? null : askedFor.status(filters[choice]),
    endpoint === undefined ? null : askedFor.endpoint,
    code === undefined ? null : askedFor.code(code),
    event === undefined ? null : askedFor.event(event),
    item === undefined ? null : askedFor.item(item),
  ];
  return names.filter((name) => name !== null).join(', ');
}
