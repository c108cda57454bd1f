// Builds the OpenAPI 3.1 document of the public API, with its webhooks, from the objects that bind the endpoints.
import type { OpenApi } from '@countersign/shared/schemas/openapi';
import { submissionBatch } from '@countersign/shared/schemas/public';
import { LIMITS } from '@countersign/shared/limits';
import { answerBatch, caseAnswer } from '@countersign/shared/schemas/regressions';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Auth } from '@countersign/shared/schemas/parts/endpoint-schemas';
import { HEADERS } from '@countersign/shared/webhook';
import {
  WEBHOOK_EVENT_NAMES,
  WEBHOOK_EVENTS,
  type WebhookEvent,
  type WebhookEventName,
} from '@countersign/shared/schemas/parts/webhook-events';
import { makePlainer } from '@countersign/shared/schemas/parts/plain-json-schema';
import { z } from 'zod';
import { HEADER_COMPONENTS, headersOfAll } from './headers.ts';
import { type Examples, OPERATIONS, TAGS, type Operation, type SuccessAnswer, type Tag } from './operations.ts';
import { refusalsOf } from './problems.ts';
import {
  decisionRevisedBody,
  itemDecidedBody,
  itemExpiredBody,
  itemWithdrawnBody,
  projectAttentionBody,
  WEBHOOK_ID,
} from './examples.ts';

/** The document for a service at this base URL (PUBLIC_BASE_URL). */
export function openApiDocument(baseUrl: string): OpenApi {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Countersign',
        version: '1.0.0',
        description: INTRODUCTION,
        contact: { name: 'Countersign', url: baseUrl },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: baseUrl, description: 'This service' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths: pathsOf(OPERATIONS),
      webhooks: webhookPaths(),
      // No operation refers to it directly: see below.
      components: {
        schemas: { CaseAnswer: caseAnswer },
        headers: HEADER_COMPONENTS,
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    { override },
  );
  return document as OpenApi;
}

function pathsOf(operations: Record<string, Operation>): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const [id, operation] of Object.entries(operations)) {
    const path = operation.endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    const method = operation.endpoint.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationOf(id, operation) };
  }
  return paths;
}

function operationOf(operationId: string, operation: Operation): ZodOpenApiOperationObject {
  const { endpoint, tag, requests } = operation;
  const { summary, description, params, query, headers, body } = endpoint;
  const places = Object.entries({ path: params, query, header: headers }).filter(([, schema]) => schema !== null);
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description === '' ? `${summary}.` : description, ...needs(endpoint)].join('\n\n'),
    security: SECURITY[endpoint.auth],
    // All three are objects in every endpoint; only their type is wider.
    ...(places.length > 0 ? { requestParams: Object.fromEntries(places) } : {}),
    ...(body && requests ? { requestBody: requestBodyOf(body, requests) } : {}),
    responses: bothOf(answersOf(operation), refusalsOf(endpoint)),
  };
}

/** A body that may be absent is optional itself, which its schema cannot say. */
function requestBodyOf(body: z.ZodType, examples: Examples) {
  const required = !body.safeParse(undefined).success;
  return { required, content: { 'application/json': { schema: body, examples } } };
}

/** The scope that a key needs (K8). */
const needs = ({ scope }: Operation['endpoint']): string[] =>
  scope === null ? [] : [`Requires an API key with the scope \`${scope}\`.`];

/** A status that both have has the content types of both. */
function bothOf(answers: Responses, refusals: Responses): Responses {
  const both = Object.entries(refusals).map(([status, refusal]) => {
    const answer = answers[status];
    if (answer === undefined) return [status, refusal] as const;
    const description = `${answer.description}\n\n${refusal.description}`;
    return [
      status,
      { ...answer, ...refusal, description, content: { ...answer.content, ...refusal.content } },
    ] as const;
  });
  return { ...answers, ...Object.fromEntries(both) };
}

function answersOf({ endpoint, answer, otherAnswers = {} }: Operation): Responses {
  const all = { ...otherAnswers, [endpoint.status]: answer };
  const response = ({ description, examples, headers }: SuccessAnswer) => ({
    description,
    headers: { ...headersOfAll(endpoint), ...headers },
    ...(endpoint.reply && Object.keys(examples).length > 0
      ? { content: { 'application/json': { schema: endpoint.reply, examples } } }
      : {}),
  });
  return Object.fromEntries(Object.entries(all).map(([status, one]) => [status, response(one)]));
}

/** Responses by status. */
type Responses = Record<string, ZodOpenApiResponseObject>;

type Override = NonNullable<CreateDocumentOptions['override']>;

/** Overrides where JSON Schema can express a schema more plainly than zod, or must say more. */
const override: Override = ({ jsonSchema, zodSchema, io }) => {
  // Each item of a batch is validated separately, so the batch schema does not include its schema.
  if (zodSchema === submissionBatch.shape.items) jsonSchema.items = { $ref: '#/components/schemas/Submission' };
  if (zodSchema === answerBatch.shape.items) jsonSchema.items = { $ref: '#/components/schemas/CaseAnswer' };
  makePlainer({ jsonSchema, zodSchema, io });
};

const KIB = 1024;

const INTRODUCTION = `A pipeline submits its suggestion; the response says whether it is auto-approved or waits for review. Decisions of reviewers are delivered by a signed webhook, and can be read here.

**Keys.** Send \`x-api-key\`. A key belongs to one project: IDs of other projects return 404, and an item for another project is refused. Cookies are ignored.

**JSON is stored byte for byte.** \`input\`, \`suggestion\` and \`metadata\` are stored as the text that was sent, and returned unchanged in responses and webhooks, including number spelling and key order.

**Limits.** An item has at most ${LIMITS.itemBytes / KIB} KiB, a batch ${LIMITS.batchBytes / KIB / KIB} MiB, counted after decompression (\`content-encoding\` gzip, deflate or br). JSON is nested at most ${LIMITS.depth} deep, has at most ${LIMITS.nodes} values per item and keys of at most ${LIMITS.keyLength} characters. It is I-JSON (RFC 7493): no NUL, no lone surrogates, no integers beyond 2^53-1, no numbers that overflow. Unknown fields are refused.

**Idempotency.** With an \`Idempotency-Key\` a request can be repeated without creating a second item or regression run.

**Errors** are \`application/problem+json\` (RFC 9457). \`code\` is from a closed list; \`detail\` says what to do; \`errors\` points at the fields with JSON pointers into the body. For an internal error, send the \`request_id\` to your operator.

**Rate limits** count per key: \`RateLimit\` and \`RateLimit-Policy\` report the remaining quota; 429 and 503 have \`Retry-After\`.`;

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'An API key of the project, created on its page. It starts with `csk_`, is shown once and can be revoked. It may submit, read or both, and may expire.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key as `Authorization: Bearer`, for MCP clients.',
  },
  bodySignature: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.signature,
    description: 'HMAC-SHA256 of the raw body in lower-case hex, with the secret of the source exactly as shown.',
  },
  standardWebhooks: {
    type: 'apiKey',
    in: 'header',
    name: HEADERS.standard,
    description: 'Standard Webhooks, together with `webhook-id` and `webhook-timestamp` (within 300 seconds).',
  },
} as const;

type Requirement = { [scheme in keyof typeof SECURITY_SCHEMES]?: string[] };

/** Which schemes authenticate a caller: any one of the list; an empty list requires none. */
const SECURITY: Record<Auth, Requirement[]> = {
  none: [],
  // The cookie of the dashboard is not part of the public API.
  session: [],
  api_key: [{ apiKey: [] }],
  bearer: [{ apiKey: [] }, { bearer: [] }],
  signature: [{ bodySignature: [] }, { standardWebhooks: [] }],
};

/** The example has a valid signature with an unused secret, so that a receiver can be tested with it. */
export const EXAMPLE_SECRET = 'whsec_YW4gZXhhbXBsZSBhbmQgbm9ib2R5cyBzZWNyZXQuLi4=';
export const EXAMPLE_HEADERS = {
  [HEADERS.signature]: 'de22f4f2d564bd6a9ca235ea288c70ea436561c0f3b6e652bd7793135abb2104',
  [HEADERS.id]: WEBHOOK_ID,
  [HEADERS.timestamp]: '1772443063',
  [HEADERS.standard]: 'v1,TTM+WfkCMf3B56e0iIvKd4bSV8MFGjKyVDiyQJHLjiE=',
  [HEADERS.attempt]: '1',
};

const headers = z.object({
  [HEADERS.signature]: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description:
        'HMAC-SHA256 of the raw body in lower-case hex. The key is the secret exactly as shown, `whsec_` included.',
      examples: [EXAMPLE_HEADERS[HEADERS.signature]],
    }),
  [HEADERS.signatureSecondary]: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({
      description: 'The same with the other secret, only during a secret rotation.',
    }),
  [HEADERS.id]: z.string().meta({
    description: 'The same on every retry and replay: ignore IDs you have seen.',
    examples: [EXAMPLE_HEADERS[HEADERS.id]],
  }),
  [HEADERS.timestamp]: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Unix seconds of this attempt.', examples: [EXAMPLE_HEADERS[HEADERS.timestamp]] }),
  [HEADERS.standard]: z.string().meta({
    description:
      'Standard Webhooks: `v1,<base64>` for each secret, separated by a space; HMAC-SHA256 of `id.timestamp.body` with the base64 part of the secret.',
    examples: [EXAMPLE_HEADERS[HEADERS.standard]],
  }),
  [HEADERS.attempt]: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'The number of this attempt, from 1.', examples: [EXAMPLE_HEADERS[HEADERS.attempt]] }),
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional()
    .meta({
      description: 'W3C Trace Context of the submission; absent when it had none, and for test events.',
      examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    }),
});

const DESCRIPTION = `Sent to the webhook endpoints of a project when a reviewer’s decision is final. The body is created once: its bytes are the same on every retry and replay, and it contains the submitted JSON byte for byte. Verify the signature over the raw body before parsing it, respond with 2xx within 20 seconds, and ignore a \`webhook-id\` that you have seen.

Any other response is retried: immediately, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each ±20 %. Redirects are not followed.

A test event that an owner sends from the project page arrives and is signed in the same way, as \`{"event":"webhook.test",…}\`: respond with 2xx; it contains no decision.

The example is signed with \`${EXAMPLE_SECRET}\`; its body has no white space between its members.`;

const tag: Tag = 'Webhooks';

interface DocumentedEvent {
  operationId: string;
  description: string;
  /** Bodies, by name. */
  examples: Record<string, { summary: string; value: WebhookEvent }>;
}

/** Null for an event that has no section of its own: the description of another one mentions it. */
const DOCUMENTED_EVENTS: Record<WebhookEventName, DocumentedEvent | null> = {
  'item.decided': {
    operationId: 'itemDecided',
    description: DESCRIPTION,
    examples: { edited: { summary: 'Edited and approved', value: itemDecidedBody } },
  },
  'item.withdrawn': {
    operationId: 'itemWithdrawn',
    description:
      'The pipeline withdrew an item that waited for people. There is no decision. Sent, signed and retried like `item.decided`.',
    examples: { withdrawn: { summary: 'Withdrawn', value: itemWithdrawnBody } },
  },
  'decision.revised': {
    operationId: 'decisionRevised',
    description:
      'A supervisor or owner revised a final decision. `decision` replaces the one before: it has the `revision` 2, 3, and so on, and `revises` is the `id` of the decision that it replaces. Webhooks can be repeated and reordered: the highest `revision` is valid, a decision without one counts as 1. Sent, signed and retried like `item.decided`.',
    examples: { rejected: { summary: 'Rejected later', value: decisionRevisedBody } },
  },
  'item.expired': {
    operationId: 'itemExpired',
    description:
      'The deadline of an item passed before anyone decided it. `status` is what `on_deadline` said: `expired` or `rejected`. There is no decision: time approves nothing. Sent, signed and retried like `item.decided`.',
    examples: { expired: { summary: 'Expired', value: itemExpiredBody } },
  },
  'project.attention': {
    operationId: 'projectAttention',
    description:
      'A rule of a notification applies. Sent to the URL of a notification of the kind `webhook`, signed with the secret of the project and retried like `item.decided`. Each rule sends at most one message in 15 minutes. It contains counts, never items.',
    examples: { waiting: { summary: 'Items wait too long', value: projectAttentionBody } },
  },
  'webhook.test': null,
};

const WEBHOOK_RESPONSES = {
  '2XX': { description: 'Received. The response body is ignored.' },
  '410': { description: 'Gone: the endpoint is paused until its owner resumes it.' },
  '429': { description: 'Retry later: `Retry-After` is honoured if it is later than the schedule, up to 10 hours.' },
  '503': { description: 'Retry later: as 429.' },
  default: { description: 'Any other status counts as a failure and is retried.' },
} as const;

/** The POST of every documented event. */
function webhookPaths(): ZodOpenApiPathsObject {
  const documented = WEBHOOK_EVENT_NAMES.flatMap((name) => {
    const event = DOCUMENTED_EVENTS[name];
    return event === null ? [] : [[name, { post: webhookOperation(name, event) }] as const];
  });
  return Object.fromEntries(documented);
}

function webhookOperation(
  name: WebhookEventName,
  { operationId, description, examples }: DocumentedEvent,
): ZodOpenApiOperationObject {
  const { body, summary } = WEBHOOK_EVENTS[name];
  return {
    ...{ operationId, tags: [tag], summary, description, security: [] },
    requestParams: { header: headers },
    requestBody: { required: true, content: { 'application/json': { schema: body, examples } } },
    responses: WEBHOOK_RESPONSES,
  };
}
