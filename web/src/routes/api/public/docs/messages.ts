// Every string of the API documentation that is not in the OpenAPI document itself.
import type { ItemStatus } from '@countersign/shared/enums';

export const messages = {
  page: 'API documentation',
  brand: 'Countersign',
  product: 'API',
  contents: 'Contents',
  skip: 'Skip to the text',
  openapi: 'openapi.json',
  toApp: 'Your projects',
  toSignIn: 'Sign in',
  loading: 'Loading the documentation',
  failed: 'The documentation could not be loaded',
  copy: 'Copy',
  language: 'Language',

  start: {
    id: 'start',
    nav: 'Start',
    heading: 'Countersign API',
    lead: 'Submit the answer your pipeline would give. The reply says at once whether you may ship it, and a signed webhook tells you what people decided.',
    base: 'Base address',
    copyBase: 'Copy the base address',
    header: 'Key',
    headerText:
      'in the header x-api-key, never in an address. One key works for one project; its owner makes it there.',
    format: 'Format',
    formatText: 'JSON in UTF-8, both ways',
    statuses: 'What it answers',
    status: 'Status',
    meaning: 'What to do',
    answer: 'An answer',
    first: 'Your first request',
    firstText:
      'Fill in your project and your key, then run any of the three. They are whole programs: a shell with curl, Node 24, Python 3.10.',
    environment: 'Settings',
    code: 'the program that submits',
  },

  key: {
    key: 'API key',
    text: 'Kept in the memory of this page and nowhere else.',
    project: 'Project id',
    projectHint: 'Fills in project_id below.',
  },

  operation: {
    signature: 'signed, no key',
    none: 'no key needed',
    key: 'x-api-key',
    copyPath: (path: string) => `Copy ${path}`,
    places: { path: 'Path', query: 'Query', header: 'Headers' },
    body: 'Body',
    required: 'required',
    answer: (status: string) => `Answer ${status}`,
    answerFields: (status: string) => `Members of answer ${status}`,
    headers: 'Headers',
    errors: (count: string) => `Errors (${count})`,
    request: 'Request',
    exampleOf: (title: string, of: string) => `the example of ${title}, ${of}`,
    choose: (what: string) => `Choose ${what}`,
    link: (what: string) => `Link to “${what}”`,
  },

  tryIt: {
    open: 'Try it',
    send: 'Send',
    cancel: 'Cancel',
    body: 'Body',
    reset: 'Back to the example',
    noJson: (why: string) => `This is no JSON: ${why}`,
    fill: 'Fill this in.',
    keyMissing: 'Type your API key first.',
    copyCurl: 'Copy as curl',
    sending: 'Sending',
    took: (ms: string) => `${ms} ms`,
    failed: 'No answer came',
    failedText: 'Check the connection, then send it again.',
    badHeader: 'This cannot be sent',
    badHeaderText: 'A header or the key holds a character that headers may not have.',
    answer: 'Answer',
    answerBody: 'the body of the answer',
    empty: 'The body is empty.',
    signedTitle: 'Sign and send it',
    signedCode: 'the program that signs',
    signed:
      'COUNTERSIGN_INBOUND_URL is the address of the source, COUNTERSIGN_INBOUND_SECRET its secret as it was shown.',
  },

  webhook: {
    id: 'webhook',
    nav: 'Webhook',
    heading: 'The webhook you receive',
    headers: 'Headers',
    body: 'Body',
    verify: 'Verify it',
    verifyText:
      'Whole receivers: `COUNTERSIGN_WEBHOOK_SECRET` is the secret as it was shown. The shell one is a CGI program, for any web server that runs those.',
    code: 'the program that verifies',
    answers: 'What your answer means',
  },

  errors: {
    id: 'errors',
    nav: 'Errors',
    heading: 'Errors',
    text: 'Every refusal is `application/problem+json` (RFC 9457). Go by `code`: the list is closed. `detail` says what to do, `errors` points at the fields, `request_id` is for asking us; it is also in `x-request-id`, which every answer has.',
    status: 'Status',
    code: 'Code',
    todo: 'What it means, what to do',
  },
} as const;

type FirstStatus = Extract<ItemStatus, 'auto_approved' | 'queued' | 'escalated' | 'rejected'>;

/** The four statuses a submission is answered with. */
export const STATUSES = {
  auto_approved: 'Ship it. The decision is in the answer, and what to ship in its `output`.',
  queued: 'Wait. A reviewer decides; the webhook brings the decision.',
  escalated: 'Wait. A supervisor decides; the webhook brings the decision.',
  rejected: 'Do not ship it. Its confidence is below what the project lets through.',
} as const satisfies Record<FirstStatus, string>;
