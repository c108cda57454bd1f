// The OpenAPI document: three independent validators report no problem, and every example matches its schema.
import { Validator } from '@seriousme/openapi-schema-validator';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '@countersign/shared/errors';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { HEADERS, signWebhook, verifyWebhook } from '@countersign/shared/webhook';
import { itemDecided } from '@countersign/shared/schemas/parts/webhook-events';
import { exactly } from '../../../test/client.ts';
import { redoclyFaults } from '../../../test/openapi-lint.ts';
import { openApiDocument, EXAMPLE_HEADERS, EXAMPLE_SECRET } from './document.ts';
import { itemDecidedBody } from './examples.ts';
import { OPERATIONS, type Examples } from './operations.ts';
import { codesOf } from './problems.ts';

interface Described {
  operationId: string;
  description: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: object; examples: Examples }> };
  responses: Record<string, { content?: Record<string, { examples: Examples }>; headers?: object }>;
}
interface Document {
  components: { schemas: Record<string, { properties: Record<string, object>; required?: string[] }> };
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: Described }>;
}

const document = openApiDocument('https://review.example.test') as unknown as Document;
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const OPERATION_LIST = Object.entries(OPERATIONS);

describe('the OpenAPI document', () => {
  it('passes the recommended rules of Redocly', async () => {
    // A request for the document itself cannot be wrong.
    const expected = ['operation-4xx-response at #/paths/~1api~1public~1openapi.json/get/responses'];
    const faults = await redoclyFaults(document);
    expect(faults.filter((fault) => !expected.some((start) => fault.startsWith(start)))).toEqual([]);
  });

  it('passes every rule of Spectral', async () => {
    const spectral = new spectralCore.Spectral();
    // Tags are in reading order; a licence has an identifier or a URL; there is no contact address.
    const off = { 'openapi-tags-alphabetical': 'off', 'license-url': 'off', 'contact-properties': 'off' } as const;
    // The types of the two packages name the same rules differently.
    spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'all']], rules: off });
    const found = await spectral.run(JSON.stringify(document));
    expect(found.map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`)).toEqual([]);
  });

  it('is valid by the OpenAPI 3.1 schema', async () => {
    const { valid, errors } = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Record<string, unknown>,
    );
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has a name for every schema', () => {
    expect(Object.keys(document.components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('Output"');
  });

  it('uses the submission schema for each item of a batch', () => {
    const { items } = document.components.schemas.SubmissionBatch?.properties ?? {};
    expect(items).toMatchObject({ items: { $ref: '#/components/schemas/Submission' }, minItems: 1, maxItems: 500 });
  });

  it('describes every field of every schema, unless its name is self-explanatory', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([shape, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, field]) => !('description' in field) && !('$ref' in field) && !('const' in field))
        .map(([name]) => `${shape}.${name}`),
    );
    expect(silent.filter((field) => !/[._]id$|\.(data|status|results)$/.test(field))).toEqual([]);
  });
});

describe('the examples', () => {
  it.each(OPERATION_LIST)('%s: match the schemas', (_, { endpoint, requests, answer, otherAnswers }) => {
    if (endpoint.body) expect(Object.keys(requests ?? {})).not.toEqual([]);
    for (const { value } of Object.values(requests ?? {})) {
      expect(endpoint.body?.safeParse(value).error).toBeUndefined();
    }
    const answers = [answer, ...Object.values(otherAnswers ?? {})];
    for (const { value } of answers.flatMap(({ examples }) => Object.values(examples))) {
      if (endpoint.reply) expect(exactly(endpoint.reply, JSON.stringify(value))).toEqual(value);
    }
  });

  it.each(OPERATION_LIST)('%s: include one for every error code, by status', (id, { endpoint }) => {
    const responses = described.find(({ operationId }) => operationId === id)?.responses ?? {};
    const shown = Object.entries(responses).flatMap(([status, { content }]) =>
      Object.entries(content?.['application/problem+json']?.examples ?? {}).map(([code, { value }]) => {
        const example = exactly(problem, JSON.stringify(value));
        expect(example).toMatchObject({
          code,
          status: Number(status),
          instance: expect.not.stringContaining(':') as string,
        });
        return code;
      }),
    );
    expect(shown.sort()).toEqual(codesOf(endpoint).sort());
  });

  it('include the webhook body with all of its headers', () => {
    const { post } = document.webhooks['item.decided'] ?? {};
    expect(exactly(itemDecided, JSON.stringify(itemDecidedBody))).toEqual(itemDecidedBody);
    expect(post?.requestBody?.content['application/json']).toMatchObject({
      schema: { $ref: '#/components/schemas/ItemDecided' },
      examples: { edited: { value: itemDecidedBody } },
    });
    const sent = post?.parameters?.map((parameter) => [parameter.in, parameter.name]);
    expect(sent?.sort()).toEqual([...Object.values(HEADERS), 'traceparent'].map((name) => ['header', name]).sort());
    const optional = post?.parameters?.filter(({ required }) => !required).map(({ name }) => name);
    expect(optional).toEqual([HEADERS.signatureSecondary, 'traceparent']);
  });
});

describe('the example of the webhook', () => {
  const text = JSON.stringify(itemDecidedBody);
  const now = Number(EXAMPLE_HEADERS[HEADERS.timestamp]);

  it('verifies with the documented secret only', async () => {
    expect(document.webhooks['item.decided']?.post.description).toContain(EXAMPLE_SECRET);
    expect(await verifyWebhook(text, EXAMPLE_HEADERS, { secret: EXAMPLE_SECRET, now })).toBe(true);
    expect(await verifyWebhook(text, EXAMPLE_HEADERS, { secret: `${EXAMPLE_SECRET}=`, now })).toBe(false);
  });

  it('is sent with the headers of the signer', async () => {
    const message = { id: EXAMPLE_HEADERS[HEADERS.id], timestamp: now, attempt: 1, body: text };
    expect(await signWebhook(message, [EXAMPLE_SECRET])).toEqual(EXAMPLE_HEADERS);
  });
});

describe('the responses', () => {
  it('have x-request-id, regardless of their status, and Retry-After where a retry makes sense', () => {
    for (const { operationId, responses } of described)
      for (const [status, { headers }] of Object.entries(responses)) {
        expect(headers, `${operationId} ${status}`).toHaveProperty('x-request-id');
        const retry = ['429', '503'].includes(status);
        if (retry) expect(headers, `${operationId} ${status}`).toHaveProperty('Retry-After');
      }
  });

  it('list error codes of their own status', () => {
    for (const [id, { endpoint }] of OPERATION_LIST)
      for (const code of codesOf(endpoint)) {
        const responses = described.find(({ operationId }) => operationId === id)?.responses ?? {};
        expect(Object.keys(responses), `${id} ${code}`).toContain(String(ERRORS[code].status));
      }
  });
});
