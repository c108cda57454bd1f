// Texts of the API documentation outside the OpenAPI document itself.
import type { ItemStatus } from '@countersign/shared/enums';
import { took } from '#lib/format/format.ts';

export const messages = {
  page: 'API documentation',
  brand: 'Countersign',
  product: 'API',
  contents: 'Contents',
  skip: 'Skip to content',
  openapi: 'openapi.json',
  toApp: 'Dashboard',
  toSignIn: 'Sign in',
  loading: 'Loading the documentation',
  failed: "Couldn't load the documentation",
  copy: 'Copy',
  language: 'Language',

  languages: {
    id: 'languages',
    heading: 'In your language',
    text: 'Each program asks people before a refund, waits, and prints what they decided. The first three use the idempotency key `ticket-7`: give each its own to try several of them in one project. For workflow engines there are recipes in `docs/recipes` of the repository.',
    install: 'Install and run, in the repository of Countersign',
    run: 'Run',
    set: 'Set',
    commands: (name: string) => `commands, ${name}`,
    program: (name: string) => `program, ${name}`,
    approved: 'When people approve',
    printsApproved: (name: string) => `output when people approve, ${name}`,
    rejected: 'When people reject',
    printsRejected: (name: string) => `output when people reject, ${name}`,
  },

  start: {
    id: 'start',
    nav: 'Start',
    heading: 'Countersign API',
    lead: 'Submit the answer your pipeline would give. The response tells you at once whether you can ship it. If a reviewer has to decide, a signed webhook brings you the decision.',
    base: 'Base URL',
    copyBase: 'Copy base URL',
    header: 'API key',
    headerText: 'in the x-api-key header, never in the URL. Keys are per project; owners create them.',
    format: 'Format',
    formatText: 'JSON (UTF-8), requests and responses',
    statusesId: 'responses',
    statuses: 'Responses',
    status: 'Status',
    meaning: 'What to do',
    answer: 'Example response',
  },

  key: {
    key: 'API key',
    text: 'Only kept in memory on this page.',
    project: 'Project ID',
    projectHint: 'Fills in project_id below.',
  },

  operation: {
    signature: 'signature, no API key',
    none: 'no API key required',
    key: 'x-api-key',
    copyPath: (path: string) => `Copy ${path}`,
    places: { path: 'Path', query: 'Query', header: 'Headers' },
    body: 'Body',
    required: 'required',
    answer: (status: string) => `Response ${status}`,
    answerFields: (status: string) => `Response fields (${status})`,
    headers: 'Headers',
    errors: (count: string) => `Errors (${count})`,
    request: 'Request',
    exampleOf: (title: string, of: string) => `${title} example, ${of}`,
    choose: (what: string) => `Choose ${what}`,
    link: (what: string) => `Link to “${what}”`,
  },

  tryIt: {
    open: 'Try it',
    send: 'Send',
    cancel: 'Cancel',
    body: 'Body',
    reset: 'Reset example',
    noJson: (why: string) => `Invalid JSON: ${why}`,
    fill: 'Required',
    keyMissing: 'Enter your API key.',
    copyCurl: 'Copy as curl',
    sending: 'Sending',
    took,
    failed: 'No response',
    failedText: 'Check your connection and try again.',
    badHeader: 'Invalid header',
    badHeaderText: 'A header or the API key contains a character that headers cannot carry.',
    answer: 'Response',
    answerBody: 'response body',
    empty: 'The response body is empty.',
    signedTitle: 'Sign and send',
    signedCode: 'signing code',
    signed:
      'Set COUNTERSIGN_INBOUND_URL to the URL of the source and COUNTERSIGN_INBOUND_SECRET to its secret, exactly as shown.',
  },

  toolCall: {
    id: 'tool-call',
    heading: 'Review tool calls of an agent',
    text: 'Submit the call with `kind: "tool_call"` before you run it. `answer_schema` describes its arguments, and `allowed_actions` says what reviewers may do. Run `decision.output`: its arguments may have been changed, its name never. A `decision.response` is an answer in words: do not run the call, give the words to the agent. Without a package, these programs take the same variables as those [in your language](#languages).',
    code: 'program that submits a tool call',
  },

  webhook: {
    id: 'webhook',
    nav: 'Webhook',
    heading: 'Webhooks you receive',
    headers: 'Headers',
    body: 'Body',
    verify: 'Verify signatures',
    verifyText:
      'Complete receivers. Set `COUNTERSIGN_WEBHOOK_SECRET` to your webhook secret, exactly as shown. The shell version is a CGI program for any web server that supports CGI.',
    code: 'verification code',
    answers: 'How your response is handled',
  },

  errors: {
    id: 'errors',
    nav: 'Errors',
    heading: 'Errors',
    text: 'Every error is `application/problem+json` (RFC 9457). Handle errors by `code`: the list is closed. `detail` says what to do, `errors` points to the fields, and `request_id` identifies the request when you ask for help. Every response also has it in the `x-request-id` header.',
    status: 'Status',
    code: 'Code',
    todo: 'Meaning and what to do',
  },
} as const;

type FirstStatus = Extract<ItemStatus, 'auto_approved' | 'queued' | 'escalated' | 'rejected'>;

/** The four statuses of a response to a submission. */
export const STATUSES = {
  auto_approved: 'Ship `decision.output` now.',
  queued: 'Wait for the webhook: a reviewer will decide.',
  escalated: 'Wait for the webhook: a supervisor will decide.',
  rejected: 'Do not ship: its confidence is below the review threshold.',
} as const satisfies Record<FirstStatus, string>;
