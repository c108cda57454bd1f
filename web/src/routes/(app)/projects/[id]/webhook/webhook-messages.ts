// Every string of a project's webhook tab.
import type { AttemptCause } from '../deliveries/delivery-causes.ts';

export const webhookMessages = {
  failed: 'The webhook could not be loaded',
  heading: 'Where decisions go',
  url: 'URL',
  urlHint: 'Every final decision by a person is posted here, signed. Leave it empty to send nothing.',

  paused: 'Paused',
  pausedText:
    'Your receiver answered 410, which means gone. Nothing is sent to it; what is decided meanwhile waits, and leaves when you resume.',
  resume: 'Resume',
  resumeFailed: 'The webhook is still paused',
  rests: (failures: number) => `The receiver has failed ${failures} times in a row`,
  restsText: 'So it is left alone for a while. What is due waits, no attempt is used up, and nothing is lost.',
  nextTry: (left: string) => `One delivery is tried in ${left}.`,
  tryingNow: 'One delivery is being tried now.',
  resumed: 'Resumed. What waited is on its way.',

  test: 'Send a test event',
  testHint: 'Signed like a delivery, with no decision in it. It is not tried again.',
  testUnsaved: 'It goes to the URL as you typed it, which is not saved yet.',
  testFailed: 'No test event was sent',
  result: 'What came of the test event',
  sending: 'Sending …',
  answered: (status: number, ms: string) => `Answered ${status} after ${ms} ms`,
  silent: (ms: string) => `No answer after ${ms} ms`,
  tested: 'Sent to',
  testedUnsaved: '(not saved yet)',
  eventId: 'webhook-id',
  copyEventId: 'webhook-id: copy',
  works: 'It works: 2xx is all a delivery wants.',
  answer: 'The answer',
  noAnswerText: 'The answer had no body.',

  /** What to do about a test event that was not answered 2xx. */
  advice: {
    byCause: {
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
      http_4xx: 'The receiver refused the request. Look at its log.',
      http_5xx: 'The receiver failed. Look at its log: it has to answer 2xx once it has stored the event.',
      internal: 'It failed on our side. Try again in a moment.',
      lease_lost: 'It was cut short on our side. Try again in a moment.',
    } satisfies Record<AttemptCause, string>,
    byStatus: {
      400: 'The receiver did not like the request. Most often the signature does not hold: does it have this secret, and does it verify the raw body?',
      401: 'The receiver does not believe the signature. Does it have this secret, and does it verify the raw body, before any parsing?',
      403: 'Something before the receiver forbids the request: a firewall, a login, or an allow list. Or the signature does not hold: does the receiver have this secret, and does it verify the raw body?',
      404: 'Nothing is at this path. Check the path of the URL.',
      405: 'The receiver does not take POST at this path.',
      410: 'The receiver says that it is gone. A delivery that is answered so pauses the webhook.',
      413: 'The receiver takes no body of this size. Deliveries are larger: they carry the answer that was decided.',
      415: 'The receiver does not take application/json.',
      429: 'The receiver asks us to slow down. Deliveries wait as long as its Retry-After says.',
    } as Partial<Record<number, string>>,
  },

  secret: 'Signing secret',
  secretText:
    'Signs every delivery. A new one first signs beside the old one, so that your receiver can learn it without missing a delivery.',
  states: {
    never: 'Nobody has been shown a secret yet. Until your receiver has one it cannot tell our deliveries from others.',
    current: 'One secret signs.',
    rolling: 'A new secret signs beside the current one. Give it to your receiver, then let it sign first.',
    previous: 'The new secret signs first. The old one still signs the secondary header.',
  },
  promotedBy: 'It signs first by itself',
  previousUntil: 'It stops by itself',
  replaced: 'Another new secret takes its place there at once.',
  createFirst: 'Make the secret',
  rotate: 'Make a new secret',
  promote: 'Let the new secret sign first',
  shown: 'The new secret',
  phaseCurrent: 'It signs from now on.',
  phaseNext: 'It signs the secondary header until you let it sign first.',
  promoted: 'The new secret signs first.',
  rotateFailed: 'No new secret was made',
  promoteFailed: 'The new secret was not put first',

  verify: 'Verify it in your receiver',
  verifyText:
    'Whole programs: they take what is genuine, fresh and new, and nothing else. The secret comes from COUNTERSIGN_WEBHOOK_SECRET.',
  code: 'verification code',
} as const;
