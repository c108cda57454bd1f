// Builds the OpenAPI 3.1 document of the public API from the objects that bind, validate and answer its endpoints.
import type { OpenApi } from '@countersign/shared/api/openapi';
import { submissionBatch } from '@countersign/shared/api/public';
import { answerBatch, caseAnswer } from '@countersign/shared/api/regressions';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { HEADER_COMPONENTS, headersOfAll } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import { OPERATIONS, TAGS, type Operation, type SuccessAnswer } from './operations.ts';
import { refusalsOf } from './problems.ts';
import { SECURITY, SECURITY_SCHEMES } from './security.ts';
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
