// Every string of a project's webhook tab.

export const webhook = {
  failed: 'The webhook could not be loaded',
  heading: 'Where decisions go',
  url: 'URL',
  urlHint: 'Every final decision by a person is posted here, signed. Leave it empty to send nothing.',

  paused: 'Paused',
  pausedText:
    'Your receiver answered 410, which means gone. Nothing is sent to it; what is decided meanwhile waits, and leaves when you resume.',
  resume: 'Resume',
  resumeFailed: 'The webhook is still paused',
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
  works: 'It works: 2xx is all a delivery wants.',
  answer: 'The answer',
  noAnswerText: 'The answer had no body.',

  secret: 'Signing secret',
  secretText:
    'Signs every delivery. A new one first signs beside the old one, so that your receiver can learn it without missing a delivery.',
  secretFailed: 'Which secrets sign could not be loaded',
  states: {
    never: 'Nobody has been shown a secret yet. Until your receiver has one it cannot tell our deliveries from others.',
    current: 'One secret signs.',
    rolling: 'A new secret signs beside the current one. Give it to your receiver, then let it sign first.',
    previous: 'The new secret signs first. The old one still signs the secondary header.',
  },
  promotedBy: 'It signs first by itself',
  previousUntil: 'It stops by itself',
  replaced: 'Another new secret takes its place there at once.',
  makeFirst: 'Make the secret',
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
