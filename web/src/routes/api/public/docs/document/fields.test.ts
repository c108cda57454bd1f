// Schemas as rows: what readers need to know of each member, in short form.
import { describe, expect, it } from 'vitest';
import { fieldOf, fieldsOf } from './fields.ts';
import type { Document, Schema } from './openapi.ts';

const NODE = '#/components/schemas/Node';
const document = {
  info: { title: 't', version: '1' },
  components: {
    schemas: {
      Json: { description: 'Any JSON value' },
      Node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: NODE } } },
      Status: { type: 'string', enum: ['queued', 'rejected'] },
    },
  } as never,
} satisfies Document;

const fields = (schema: Schema) => fieldsOf(document, schema);
const only = (schema: Schema) => fieldOf(document, { name: 'it', schema });

describe('the type of a field', () => {
  it.each<[string, Schema]>([
    ['string', { type: 'string' }],
    ['uuid', { type: 'string', format: 'uuid' }],
    ['integer', { type: 'integer' }],
    ['string or null', { type: ['string', 'null'] }],
    ['object or boolean or null', { type: ['object', 'boolean', 'null'] }],
    ['uuid or null', { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }],
    ['any JSON', { $ref: '#/components/schemas/Json' }],
    ['any JSON', { anyOf: [{ $ref: '#/components/schemas/Json' }, { type: 'null' }] }],
    ['array of string', { type: 'array', items: { type: 'string' } }],
    ['array of array of number', { type: 'array', items: { type: 'array', items: { type: 'number' } } }],
    ['object of any JSON', { type: 'object', additionalProperties: { $ref: '#/components/schemas/Json' } }],
    ['string', { const: 'item.decided' }],
    ['string or number', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  ])('reads the type “%s”', (type, schema) => {
    expect(only(schema).type).toBe(type);
  });
});

describe('the limits of a field', () => {
  it.each<[string, Schema]>([
    ['0 to 1', { type: 'number', minimum: 0, maximum: 1 }],
    ['at least 1', { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }],
    ['at most 50 items', { type: 'array', maxItems: 50, items: {} }],
    ['1 to 100 characters each', { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 } }],
    ['at most 50 properties', { type: 'object', maxProperties: 50 }],
    ['default 20', { type: 'integer', default: 20 }],
  ])('reads the limits “%s”', (limit, schema) => {
    expect(only(schema).limits).toEqual([limit]);
  });

  it('omits limits that every number and every long pattern has', () => {
    const { MAX_SAFE_INTEGER: most } = Number;
    expect(only({ type: 'integer', minimum: -most, maximum: most }).limits).toEqual([]);
    expect(only({ type: 'integer', minimum: 0, maximum: most }).limits).toEqual([]);
    expect(only({ type: 'string', pattern: 'x'.repeat(41) }).limits).toEqual([]);
  });

  it('lists the values, also those of a list', () => {
    expect(only({ $ref: '#/components/schemas/Status' }).values).toEqual(['queued', 'rejected']);
    expect(only({ type: 'array', items: { $ref: '#/components/schemas/Status' } }).values).toEqual([
      'queued',
      'rejected',
    ]);
    expect(only({ const: 'item.decided' }).values).toEqual(['item.decided']);
  });
});

describe('the members of a body', () => {
  it('are in order, nested ones below their parent, each with the text beside its reference', () => {
    const rows = fields({
      type: 'object',
      required: ['data'],
      properties: {
        data: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
        status: { $ref: '#/components/schemas/Status', description: 'Where it went' },
      },
    });
    expect(rows.map(({ name, depth, required, description }) => [name, depth, required, description])).toEqual([
      ['data', 0, true, ''],
      ['id', 1, true, ''],
      ['status', 0, false, 'Where it went'],
    ]);
  });

  it('end where a schema contains itself', () => {
    expect(fields({ $ref: NODE }).map(({ name, type }) => [name, type])).toEqual([
      ['name', 'string'],
      ['next', 'any JSON'],
    ]);
  });

  it('of a union are listed for each of its shapes', () => {
    const shape = (name: string): Schema => ({ type: 'object', properties: { [name]: { type: 'string' } } });
    expect(fields({ anyOf: [shape('id'), shape('error')] }).map(({ name, depth }) => [name, depth])).toEqual([
      ['either', 0],
      ['id', 1],
      ['or', 0],
      ['error', 1],
    ]);
  });

  it('of merged schemas are listed together', () => {
    const part = (name: string): Schema => ({ properties: { [name]: { type: 'string' } } });
    expect(fields({ allOf: [part('a')], type: 'object', properties: { b: {} } }).map(({ name }) => name)).toContain(
      'b',
    );
  });
});
