// Every string of the deliveries tab.
import type { Attempt, DeliveryDetail, Timings } from '@countersign/shared/api/deliveries';
import type { Delivery } from '@countersign/shared/api/learnings';
import { causeOf, type AttemptCause } from './delivery-causes.ts';
import type { DeliveryQuery, Choice, Kind } from './delivery-search.ts';

type Run = Delivery['run'];

export const deliveriesMessages = {
  columns: {
    state: 'State',
    made: 'Made',
    event: 'Event',
    item: 'Item',
    answer: 'Answer',
    took: 'Took',
    attempt: 'Attempt',
    next: 'Next',
  },
  filter: 'Which deliveries',
  filters: {
    all: 'All',
    succeeded: 'Delivered',
    pending: 'Waiting',
    failed: 'Failed',
    dead: 'Dead',
    paused: 'Paused',
  } satisfies Record<Choice, string>,
  search: 'Find by answer code, event id or item id',
  placeholder: '503, 5xx, none, evt_… or an item id',
  searchHint: 'An answer code is a status such as 503, a class such as 5xx, or none where no answer came.',
  unknownWord: (word: string) =>
    `“${word}” is no answer code (503, 5xx, none), no event id (evt_…) and no item id (a UUID).`,
  twice: {
    code: 'One answer code at a time.',
    event: 'One event id at a time.',
    item: 'One item id at a time.',
  } satisfies Record<Kind, string>,
  clear: 'Clear the filter',
  clearShort: 'Clear',
  failed: 'The deliveries could not be loaded',
  stale: 'This list could not be refreshed',
  olderFailed: 'The older deliveries could not be loaded',
  empty: 'No delivery yet',
  emptyText: 'The first final decision by a person makes one.',
  noneSuch: 'None of these',
  noneSuchText: (asked: string) => `Nothing matches ${asked}.`,
  askedFor: {
    status: (word: string) => `“${word}”`,
    code: (code: string) => (code === 'none' ? 'no answer came' : `answer ${code}`),
    event: (id: string) => `event ${id}`,
    item: (id: string) => `item ${id}`,
  },
  unreadable: 'Nothing can be found so',
  older: 'Show older',
  retrying: 'retrying',
  now: 'now',
  due: 'due',
  ofRun: ({ attempt, of }: Run) => `${attempt}/${of}`,
  ofRunTitle: ({ attempt, of }: Run, all: string) =>
    `${attempt} of the ${of} attempts of its schedule; ${all} in all. Sent again, it begins a schedule anew.`,
  open: (event: string) => `Show ${event}`,
  detailFailed: 'The delivery could not be loaded',
  detailStale: 'This could not be refreshed',
  attempts: 'Attempts',
  noAttempt: 'Nothing was sent yet.',
  beingSent: 'It is being sent now.',
  attemptsGone: (n: string) =>
    n === '1'
      ? 'Its attempt was taken away, as the project says.'
      : `Its ${n} attempts were taken away, as the project says.`,
  attempt: (n: number) => `attempt ${n}`,
  nextAttempt: (n: number) => `Attempt ${n}`,
  showAttempt: (n: number) => `Show what attempt ${n} sent and got`,
  times: { dns_ms: 'name', connect_ms: 'connection', tls_ms: 'TLS', first_byte_ms: 'answer' } satisfies Record<
    keyof Timings,
    string
  >,
  reusedConnection: 'kept connection',
  took: (ms: number) => `${Math.round(ms)} ms`,
  request: 'Request',
  requestHeaders: 'Request headers',
  masked: 'The signatures are masked: they are yours and ours alone.',
  notSent: 'No connection stood, so nothing of this went out.',
  curl: 'Copy as curl',
  curlTitle: 'Copy a command that sends the same bytes; it signs with the secret you put in',
  body: 'Body',
  bytes: (n: string) => `${n} bytes, exactly as sent`,
  copyBody: 'Copy the body',
  bodyGone: 'Its bytes were taken away, as the project says. It cannot be sent again.',
  response: 'Response',
  responseHeaders: 'Response headers',
  noHeaders: 'None of its headers were kept.',
  responseText: 'The beginning of it, as text',
  noResponse: 'No answer came.',
  emptyResponse: 'Its body was empty.',
  responseGone: 'What was answered was taken away, as the project says.',
  eventId: 'Event',
  itemId: 'Item',
  copyEvent: 'Copy the event id',
  copyItem: 'Copy the item id',
  ofThisItem: 'All deliveries of this item',
  again: 'Send again',
  againHint: (n: number) => `The receiver sees the same id and bytes, with x-webhook-attempt ${n}.`,
  againFailed: 'Nothing was sent again',
  sendNow: 'Send now',
  sendNowHint: (n: number) => `Attempt ${n} is made at once. The ones after it stay as planned.`,
  sendNowFailed: 'Nothing was sent now',
  sentNow: (status: string) => `Sent: ${status}.`,
  onItsWay: 'It is on its way.',
  sentAgain: (status: string) => `Sent again: ${status}.`,
  many: 'Send many again',
  manyTitle: 'Send deliveries again',
  manyText: 'Oldest first, in the background. You can stop it.',
  receiverSees:
    'The receiver sees each with the webhook-id and the bytes it had, and a higher x-webhook-attempt. It may have some of them already: it has to drop by webhook-id what it knows.',
  which: 'Which ones',
  since: 'Made since',
  sinceHint: 'Leave it empty for all of them. Your own time zone.',
  sendThem: 'Send again',
  testTitle: 'Send a signed test event to the saved URL. It is no delivery and is not listed.',
  testClose: 'Close the result',
  progress: 'How many are on their way again',
  sending: (done: string, total: string) => `${done} of ${total} are on their way again`,
  begunBy: 'begun by',
  allSent: (n: string) => `${n} ${n === '1' ? 'is' : 'are'} on ${n === '1' ? 'its' : 'their'} way again.`,
  noneToSend: 'There was none to send.',
  stoppedAfter: (done: string, total: string) => `Stopped after ${done} of ${total}; the others stay as they were.`,
  stop: 'Stop',
  stopFailed: 'It goes on: it could not be stopped',
  progressUnknown: 'How far it is could not be read; what stands here may be older.',
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
  return cause === null ? error : deliveriesMessages.causes[cause];
}

/** How an attempt ended: `503 · the receiver failed`. */
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

/** Whether it was tried and its attempts were taken away (KE3). One that is being sent now may have had none before. */
export const attemptsGone = ({ attempt, attempts, status }: DeliveryDetail): boolean =>
  attempts.length === 0 && attempt > 0 && status !== 'sending';

/** Whether the bytes of a delivery, and of what was answered, were taken away (KE2): none was ever without. */
export const bytesGone = ({ body }: DeliveryDetail): boolean => body === '';

/** Whether an attempt ended before anything of the request went out. */
export const reachedNobody = ({ error }: Attempt): boolean => BEFORE_SENDING.includes(error);

/** What is asked for, in words: `“Failed”, answer 503`. */
export function namesOf({ choice, filter: { code, event, item } }: DeliveryQuery): string {
  const { askedFor, filters } = deliveriesMessages;
  const names = [
    choice === 'all' ? null : askedFor.status(filters[choice]),
    code === undefined ? null : askedFor.code(code),
    event === undefined ? null : askedFor.event(event),
    item === undefined ? null : askedFor.item(item),
  ];
  return names.filter((name) => name !== null).join(', ');
}
