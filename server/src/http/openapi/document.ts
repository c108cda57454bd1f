// Builds the OpenAPI 3.1 document of the public API from the objects that bind, validate and answer its endpoints.
import type { OpenApi } from '@countersign/shared/api/openapi';
import { submissionBatch, LIMITS } from '@countersign/shared/api/public';
import { answerBatch, caseAnswer } from '@countersign/shared/api/regressions';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Auth } from '@countersign/shared/api/endpoint';
import { HEADERS } from '@countersign/shared/webhook';
import { HEADER_COMPONENTS, headersOfAll } from './headers.ts';
import { OPERATIONS, TAGS, type Operation, type SuccessAnswer } from './operations.ts';
import { refusalsOf } from './problems.ts';
import { WEBHOOKS } from './webhooks.ts';

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
      webhooks: WEBHOOKS,
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
    ...(body && requests
      ? { requestBody: { required: true, content: { 'application/json': { schema: body, examples: requests } } } }
      : {}),
    responses: { ...successesOf(operation), ...refusalsOf(endpoint) },
  };
}

/** The scope that a key needs (K8). */
const needs = ({ scope }: Operation['endpoint']): string[] =>
  scope === null ? [] : [`Requires an API key with the scope \`${scope}\`.`];

function successesOf({ endpoint, answer, otherAnswers = {} }: Operation): ZodOpenApiResponsesObject {
  const all = { ...otherAnswers, [endpoint.status]: answer };
  const success = ({ description, examples, headers }: SuccessAnswer) => ({
    description,
    headers: { ...headersOfAll(endpoint), ...headers },
    ...(endpoint.reply ? { content: { 'application/json': { schema: endpoint.reply, examples } } } : {}),
  });
  return Object.fromEntries(Object.entries(all).map(([status, one]) => [status, success(one)]));
}

type Override = NonNullable<CreateDocumentOptions['override']>;

/** Overrides where JSON Schema can express a schema more plainly than zod, or must say more. */
const override: Override = ({ jsonSchema, zodSchema, io }) => {
  // Each item of a batch is validated separately, so the batch schema does not include its schema.
  if (zodSchema === submissionBatch.shape.items) jsonSchema.items = { $ref: '#/components/schemas/Submission' };
  if (zodSchema === answerBatch.shape.items) jsonSchema.items = { $ref: '#/components/schemas/CaseAnswer' };
  // The format is enough; zod's pattern for it is very long.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  // A response may gain members: only shapes that are closed by contract say so.
  const def = zodSchema._zod.def;
  if (io === 'output' && def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
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
  signature: [{ bodySignature: [] }, { standardWebhooks: [] }],
};
