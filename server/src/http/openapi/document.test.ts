// The OpenAPI document: independent validators report no problem, and every example matches its schema.
import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '@countersign/shared/errors';
import type { Json } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { idempotencyKey } from '@countersign/shared/schemas/parts/idempotency-key';
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
  parameters?: { name: string; in: string; required?: boolean; schema: { pattern?: string } }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; examples: Examples }> };
  responses: Record<string, { content?: Record<string, { examples: Examples }>; headers?: object }>;
}
interface Document {
  components: {
    schemas: Record<string, { properties: Record<string, object>; required?: string[]; not?: Json }>;
  };
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: Described }>;
}

/** A folder in whose `node_modules` Spectral is: it installs 150 packages, so it is no dependency of this repository. */
const { SPECTRAL } = process.env;

interface SpectralPackages {
  Spectral: new () => {
    setRuleset(ruleset: { extends: [unknown, 'all'][]; rules: Record<string, 'off'> }): void;
    run(document: string): Promise<{ code: string | number; message: string; path: (string | number)[] }[]>;
  };
  oas: unknown;
}

function loadSpectral(folder: string): SpectralPackages {
  const load = createRequire(`${folder}/package.json`);
  const { Spectral } = load('@stoplight/spectral-core') as Pick<SpectralPackages, 'Spectral'>;
  const { oas } = load('@stoplight/spectral-rulesets') as Pick<SpectralPackages, 'oas'>;
  return { Spectral, oas };
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

  it.runIf(SPECTRAL !== undefined)('passes every rule of Spectral (where SPECTRAL names its folder)', async () => {
    const { Spectral, oas } = loadSpectral(SPECTRAL ?? '');
    const spectral = new Spectral();
    // Tags are in reading order; a licence has an identifier or a URL; there is no contact address.
    const off = { 'openapi-tags-alphabetical': 'off', 'license-url': 'off', 'contact-properties': 'off' } as const;
    spectral.setRuleset({ extends: [[oas, 'all']], rules: off });
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

it('describes exactly the idempotency keys that the service accepts', () => {
  const { parameters = [] } = document.paths['/api/public/items']?.post ?? {};
  const { pattern = '' } = parameters.find(({ name }) => name === 'idempotency-key')?.schema ?? {};
  // HTTP removes spaces around the value of a header before anyone reads it.
  const values = fc.string({ unit: fc.constantFrom('"', 'a', '~', ' ', 'é', '\t'), maxLength: 260, size: 'max' });
  const trimmed = values.map((value) => value.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
  fc.assert(
    fc.property(trimmed, (value) => {
      expect(new RegExp(pattern, 'u').test(value)).toBe(idempotencyKey.safeParse(value).success);
    }),
    {
      examples: ['""', '"', `"${'a'.repeat(255)}"`, `"${'a'.repeat(256)}"`, 'a'.repeat(255), 'a'.repeat(256)].map(
        (value) => [value],
      ),
    },
  );
});

it.each<[string, Json, boolean]>([
  ['an object', { type: 'string' }, true],
  ['true', true, true],
  ['null', null, true],
  ['a text', 'object', false],
  ['a number', 1, false],
  ['a list', [], false],
])('an answer_schema that is %s is described as the service takes it', (_, value, valid) => {
  const { answer_schema: schema = {} } = document.components.schemas.Submission?.properties ?? {};
  const described = compileSchema(JSON.stringify(schema));
  expect(described.ok && validate(described.schema, value).length === 0).toBe(valid);
  expect(value === null || compileSchema(JSON.stringify(value)).ok).toBe(valid);
});

it('says of a body that may be absent that it is optional', () => {
  const optional = described.filter(({ requestBody }) => requestBody?.required === false);
  expect(optional.map(({ operationId }) => operationId)).toEqual(['withdrawItem']);
});

it.each<[string, object, boolean]>([
  ['a text as a tool call', { kind: 'tool_call', suggestion: 'Refund' }, false],
  ['a tool call without arguments', { kind: 'tool_call', suggestion: { name: 'refund' } }, false],
  ['a tool call without a name', { kind: 'tool_call', suggestion: { name: '', arguments: {} } }, false],
  ['a tool call with more members', { kind: 'tool_call', suggestion: { name: 'a', arguments: {}, id: 1 } }, false],
  ['a tool call', { kind: 'tool_call', suggestion: { name: 'refund', arguments: {} } }, true],
  ['a tool call that a person writes', { kind: 'tool_call', suggestion: null }, false],
  ['an answer that a person writes', { suggestion: null, allowed_actions: ['edit'] }, true],
  ['nothing to approve', { suggestion: null, allowed_actions: ['approve'] }, false],
  ['any answer', { kind: 'answer', suggestion: 'Refund' }, true],
  ['two deadlines', { deadline: '2030-01-01T00:00:00Z', deadline_seconds: 60 }, false],
  ['no deadline, and one', { deadline: null, deadline_seconds: 60 }, false],
  ['one deadline', { deadline_seconds: 60 }, true],
])('TC1, TS5, DL6: the schema of a submission, for %s', (_, members, valid) => {
  const submission = { input: 'a', suggestion: 'a', confidence: 1, ...members };
  const { not = null } = document.components.schemas.Submission ?? {};
  const compiled = compileSchema(JSON.stringify({ not }));
  expect(compiled.ok && validate(compiled.schema, submission).length === 0).toBe(valid);
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

  it.each(['already_decided', 'expired'])('show the item of the path that is the reason of %s', (code) => {
    const { responses } = described.find(({ operationId }) => operationId === 'withdrawItem') ?? {};
    const { value } = responses?.['409']?.content?.['application/problem+json']?.examples[code] ?? {};
    const { instance, item } = problem.parse(value);
    expect(instance).toBe(`/api/public/items/${item?.id}/withdraw`);
    expect(item?.decision === null).toBe(code === 'expired');
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

  it('have WWW-Authenticate on a 401 where a bearer token is accepted, and nowhere else', () => {
    const challenged = described.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([, { headers = {} }]) => 'WWW-Authenticate' in headers)
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(challenged).toEqual(['callMcp 401']);
  });

  it('list error codes of their own status', () => {
    for (const [id, { endpoint }] of OPERATION_LIST)
      for (const code of codesOf(endpoint)) {
        const responses = described.find(({ operationId }) => operationId === id)?.responses ?? {};
        expect(Object.keys(responses), `${id} ${code}`).toContain(String(ERRORS[code].status));
      }
  });
});
