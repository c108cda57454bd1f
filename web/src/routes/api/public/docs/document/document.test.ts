// Reading an OpenAPI document: operations, fields and errors for the page.
import { describe, expect, it, vi } from 'vitest';
import { show, type ShownOperation } from './document.ts';
import type { Document } from './openapi.ts';

const problem = (code: string, status: number) => ({
  summary: code,
  value: { code, status, title: `Title of ${code}`, detail: `What to do about ${code}` },
});

const DOCUMENT: Document = {
  info: { title: 'Countersign', version: '1' },
  servers: [{ url: 'https://review.example.org/' }],
  tags: [
    { name: 'Items', description: 'Submit items.' },
    { name: 'Nothing', description: 'A tag that no operation has.' },
  ],
  paths: {
    '/items/{id}': {
      post: {
        operationId: 'submitItem',
        tags: ['Items'],
        summary: 'Submit',
        description: 'Submit.',
        security: [{ apiKey: [] }],
        parameters: [
          { $ref: '#/components/parameters/Id' } as never,
          { name: 'prefer', in: 'header', description: 'Wait', schema: { type: 'string' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Submission' },
              examples: { plain: { summary: 'A text', value: { confidence: 0.8 } } },
            },
          },
        },
        responses: {
          '422': { content: { 'application/problem+json': { examples: { a: problem('validation_failed', 422) } } } },
          '201': { description: 'Stored', content: { 'application/json': { schema: { type: 'object' } } } },
          '401': {
            content: {
              'application/problem+json': {
                examples: { a: problem('api_key_missing', 401), b: problem('api_key_invalid', 401) },
              },
            },
          },
        },
      },
      parameters: [] as never,
    },
    '/inbound': {
      post: {
        tags: ['Other'],
        security: [{ signature: [] }],
        responses: {
          '401': { content: { 'application/problem+json': { examples: { a: problem('api_key_missing', 401) } } } },
        },
      },
    },
    '/openapi.json': { get: { tags: ['Other'], responses: { '200': { description: 'This' } } } },
  },
  webhooks: {
    'item.decided': {
      post: {
        operationId: 'itemDecided',
        responses: {
          default: { description: 'Again' },
          '410': { description: 'Gone' },
          '2XX': { description: 'Received' },
        },
      },
    },
  },
  components: {
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      signature: { type: 'apiKey', in: 'header', name: 'x-webhook-signature' },
    },
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } } },
    schemas: {
      Submission: { type: 'object', properties: { confidence: { type: 'number' } }, required: ['confidence'] },
    },
  } as never,
};

const pause = vi.fn(() => Promise.resolve());
const shown = await show(DOCUMENT, 'http://here.test', pause);
const [submit, inbound, self] = shown.tags.flatMap(({ operations }) => operations) as [
  ShownOperation,
  ShownOperation,
  ShownOperation,
];

describe('the document', () => {
  it('is read with a pause before each operation and each webhook', async () => {
    const counted = vi.fn(() => Promise.resolve());
    const read = await show(DOCUMENT, 'http://here.test', counted);
    expect(counted).toHaveBeenCalledTimes(
      read.tags.flatMap(({ operations }) => operations).length + read.webhooks.length,
    );
  });

  it('has its base URL without a trailing slash; the origin of the page where it names none', async () => {
    expect(shown.baseUrl).toBe('https://review.example.org');
    expect((await show({ ...DOCUMENT, servers: [] }, 'http://here.test', pause)).baseUrl).toBe('http://here.test');
  });

  it('lists the tags with operations, also those without a description', () => {
    expect(shown.tags.map(({ name, description }) => [name, description])).toEqual([
      ['Items', 'Submit items.'],
      ['Other', ''],
    ]);
  });

  it('collects every code once, by status', () => {
    expect(shown.errors.map(({ status, code }) => [status, code])).toEqual([
      ['401', 'api_key_missing'],
      ['401', 'api_key_invalid'],
      ['422', 'validation_failed'],
    ]);
  });

  it('describes the answers of a receiver, numbers first', () => {
    expect(shown.webhooks[0]?.answers.map(({ status }) => status)).toEqual(['2XX', '410', 'default']);
    expect(shown.webhooks[0]?.errors).toEqual([]);
  });
});

describe('an operation', () => {
  it('says who may call it', () => {
    expect([submit.auth, inbound.auth, self.auth]).toEqual(['key', 'signature', 'none']);
  });

  it('has its parameters with references resolved', () => {
    expect(submit.parameters.map(({ place, name, type, required }) => [place, name, type, required])).toEqual([
      ['path', 'id', 'uuid', true],
      ['header', 'prefer', 'string', false],
    ]);
  });

  it('has its body as fields and its examples as text', () => {
    expect(submit.body?.fields).toMatchObject([{ name: 'confidence', type: 'number', required: true }]);
    expect(submit.body?.examples).toEqual([{ name: 'A text', code: '{\n  "confidence": 0.8\n}' }]);
  });

  it('separates answers and errors, and does not repeat its summary', () => {
    expect(submit.answers.map(({ status, description }) => [status, description])).toEqual([['201', 'Stored']]);
    expect(submit.errors.map(({ code, detail }) => [code, detail])).toContainEqual([
      'api_key_invalid',
      'What to do about api_key_invalid',
    ]);
    expect(submit.description).toBe('');
  });
});

it('shows an error of JSON-RPC by its number, its name and its sentence', async () => {
  const value = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Send one JSON value.' } };
  const answer = { content: { 'application/json': { examples: { invalid: { summary: 'Not JSON', value } } } } };
  const paths = { '/mcp': { post: { tags: ['Agents'], responses: { '400': answer } } } };
  const { errors } = await show({ ...DOCUMENT, paths }, 'http://here.test', pause);
  expect(errors).toEqual([{ status: '400', code: '-32700', title: 'Not JSON', detail: 'Send one JSON value.' }]);
});
