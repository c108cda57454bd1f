// Schemas that are refused, values that do not fit, and what is said of both; and what hostile ones cost.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Json } from '../json/json.ts';
import { compileSchema, SCHEMA_LIMITS } from './compile.ts';
import { MAX_STEPS, validate, type CompiledSchema } from './evaluate.ts';
import { exactJson } from './exact-numbers.ts';
import { schemasWithValues } from './json-schema.fixture.ts';

function compiled(schema: Json | string): CompiledSchema {
  const result = compileSchema(typeof schema === 'string' ? schema : JSON.stringify(schema));
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.schema;
}

const refusals = (text: string): string[] => {
  const result = compileSchema(text);
  return result.ok ? [] : result.faults.map(({ pointer, message }) => `${pointer} ${message}`);
};

/** Each fault as `pointer message`. */
const faultsOf = (schema: Json | string, value: Json | string): string[] =>
  validate(compiled(schema), typeof value === 'string' ? exactJson(value) : value).map(
    ({ pointer, message }) => `${pointer} ${message}`,
  );

describe('TS3: a schema', () => {
  it.each<[string, string]>([
    ['{', ' A schema is one JSON value. Check quotes, commas and brackets.'],
    ['7', ' A schema is an object, true or false.'],
    [
      '{"type":"text"}',
      '/type This must be one of string, integer, number, boolean, null, array, object, or an array of them.',
    ],
    [
      '{"type":["string","string"]}',
      '/type This must be one of string, integer, number, boolean, null, array, object, or an array of them.',
    ],
    ['{"properties":{"a/b":{"minLength":-1}}}', '/properties/a~1b/minLength This must be an integer of 0 or more.'],
    ['{"minLength":1.5}', '/minLength This must be an integer of 0 or more.'],
    ['{"multipleOf":0}', '/multipleOf This must be a number above 0 with at most 100 digits.'],
    ['{"required":["a","a"]}', '/required This must be an array of different names.'],
    ['{"items":[{}]}', '/items A schema is an object, true or false.'],
    ['{"anyOf":[]}', '/anyOf This must be an array of at least one schema.'],
    ['{"properties":{"a":5}}', '/properties/a A schema is an object, true or false.'],
    ['{"title":5}', '/title This must be a string.'],
    ['{"pattern":"(a)\\\\1"}', '/pattern Backreferences are not supported.'],
    ['{"patternProperties":{"(?=a)":{}}}', '/patternProperties/(?=a) Lookahead and lookbehind are not supported.'],
    [
      '{"$schema":"http://json-schema.org/draft-07/schema#"}',
      '/$schema Only draft 2020-12 is supported: https://json-schema.org/draft/2020-12/schema',
    ],
    ['{"items":{"$id":"x"}}', '/items/$id Only the whole schema may have an $id. Use $anchor.'],
    ['{"$ref":"https://example.com/a"}', '/$ref Only references inside the schema are supported. Use #/$defs/… or #.'],
    ['{"$ref":"#/$defs/none"}', '/$ref It refers to no schema in here. Use #/$defs/… or #.'],
    ['{"$ref":"#/enum/0","enum":[{}]}', '/$ref It refers to no schema in here. Use #/$defs/… or #.'],
    [
      '{"$ref":"#%E0%A4%A"}',
      '/$ref A % of it is not followed by two hexadecimal digits of valid UTF-8. Use #/$defs/… or #.',
    ],
    [
      '{"$id":"refund.json","$ref":"other.json#/$defs/a","$defs":{"a":{}}}',
      '/$ref Only references inside the schema are supported. Use #/$defs/… or #.',
    ],
    ['{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}', '/$defs/b/$anchor Another schema has this name.'],
    ['{"$ref":""}', ' This schema refers to itself for the same value. Refer to it for a member or an entry.'],
    ['{"$ref":"#"}', ' This schema refers to itself for the same value. Refer to it for a member or an entry.'],
    [
      '{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}',
      ' This schema refers to itself for the same value. Refer to it for a member or an entry.',
    ],
  ])('is refused: %s', (text, refusal) => expect(refusals(text)).toEqual([refusal]));

  it('is refused above its limits, which count bytes and levels', () => {
    const ofBytes = (bytes: number) => `{"title":"${'é'.repeat((bytes - 12) / 2)}"}`;
    const ofDepth = (depth: number) => '{"not":'.repeat(depth) + 'true' + '}'.repeat(depth);
    expect(refusals(ofBytes(SCHEMA_LIMITS.bytes))).toEqual([]);
    expect(refusals(ofBytes(SCHEMA_LIMITS.bytes + 2))).toEqual([' A schema has at most 32 KiB.']);
    expect(refusals(ofDepth(16))).toEqual([]);
    expect(refusals(ofDepth(17))).toEqual([' A schema nests at most 16 levels. Use $defs and $ref.']);
    expect(refusals('['.repeat(30_000))).toHaveLength(1);
  });

  it('has at most 20 faults', () => {
    const properties = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { type: 'x' }]));
    expect(refusals(JSON.stringify({ properties }))).toHaveLength(20);
  });

  it('is accepted with unknown keywords, annotations, an own address and recursion', () => {
    const tree = {
      ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/tree', 'x-order': 1 },
      ...{ type: 'object', title: 'Tree', format: 'tree', default: {}, examples: [1] },
      properties: {
        left: { $ref: '#' },
        right: { $ref: 'https://example.com/tree#' },
        other: { $ref: '' },
        name: { $ref: '#name' },
      },
      definitions: { name: { $anchor: 'name', type: 'string' } },
    };
    expect(faultsOf(tree, { left: { right: { name: 'x' } } })).toEqual([]);
    expect(faultsOf(tree, { left: { right: { other: { name: 1 } } } })).toEqual([
      '/left/right/other/name must be text',
    ]);
  });

  it('refers to itself by a relative address too', () => {
    const refund = { $id: 'refund.json', $ref: 'refund.json#/$defs/a', $defs: { a: { type: 'string' } } };
    expect(faultsOf(refund, 1)).toEqual([' must be text']);
  });
});

describe('TS3: a value that does not fit', () => {
  it.each<[string, string, string[]]>([
    ['{"type":"string"}', '1', [' must be text']],
    ['{"type":["integer","null"],"minimum":3}', '"x"', [' must be a whole number or null']],
    ['{"type":["string","integer","null"]}', '[]', [' must be text, a whole number or null']],
    ['{"enum":["a",1,null]}', '"b"', [' must be one of: "a", 1, null']],
    ['{"enum":[]}', '"b"', [' is not allowed: the enum of its schema is empty']],
    ['{"const":{"a":1.0}}', '{}', [' must be {"a":1.0}']],
    ['{"minimum":5,"exclusiveMaximum":1.50}', '3', [' must be at least 5', ' must be less than 1.50']],
    ['{"maximum":12345678901234567890.0}', '12345678901234567891.0', [' must be at most 12345678901234567890.0']],
    ['{"multipleOf":0.01}', '0.005', [' must be a multiple of 0.01']],
    ['{"minLength":2,"pattern":"^\\\\d"}', '"é"', [' must have at least 2 characters', ' must match the pattern ^\\d']],
    ['{"maxLength":1}', '"😀"', []],
    ['{"minItems":1}', '[]', [' must have at least 1 entry']],
    ['{"maxProperties":1}', '{"a":1,"b":2}', [' must have at most 1 field']],
    [
      '{"uniqueItems":true}',
      '[1,{"a":1},1.0,{"a":1e0}]',
      ['/2 repeats entry 1: each entry must be different', '/3 repeats entry 2: each entry must be different'],
    ],
    ['{"required":["a","b"]}', '{"a":1}', ['/b is missing']],
    ['{"dependentRequired":{"a":["b"]}}', '{"a":1}', ['/b is missing: it goes with "a"']],
    ['{"properties":{"a":true},"additionalProperties":false}', '{"a":1,"b":2}', ['/b is not allowed here: remove it']],
    [
      '{"propertyNames":{"maxLength":2}}',
      '{"abc":1}',
      ['/abc has a name that is not allowed: it must have at most 2 characters'],
    ],
    [
      '{"prefixItems":[{"type":"string"}],"items":false}',
      '[1,2]',
      ['/0 must be text', '/1 is not allowed here: remove it'],
    ],
    [
      '{"contains":{"const":1},"maxContains":1}',
      '[1,1]',
      [' must have at most 1 entry of the required form, and has 2'],
    ],
    [
      '{"contains":{"const":1},"minContains":2.0}',
      '[1]',
      [' must have at least 2 entries of the required form, and has 1'],
    ],
    ['{"not":{"type":"string"}}', '"a"', [' has a form that is not allowed']],
    ['{"oneOf":[{"minimum":1},{"minimum":2}]}', '3', [' fits 2 of the 2 allowed forms, and must fit exactly one']],
    ['{"anyOf":[{"type":"string"},{"type":"null"}]}', '3', [' must be text or null']],
    ['{"anyOf":[{"type":"string"},{"type":"null"},{"type":"array"}]}', '3', [' must be text, null or a list']],
    ['{"anyOf":[{"type":"string","minLength":5},{"type":"null"}]}', '"abc"', [' must have at least 5 characters']],
    ['{"anyOf":[{"minimum":5},{"multipleOf":2}]}', '3', [' must fit one of the 2 allowed forms']],
    [
      '{"items":{"oneOf":[{"properties":{"kind":{"const":"card"},"n":{"type":"string"}}},{"properties":{"kind":{"const":"bank"}}}]}}',
      '[{"kind":"card","n":1}]',
      ['/0/n must be text'],
    ],
    ['{"if":{"required":["a"]},"then":{"required":["b"]}}', '{"a":1}', ['/b is missing']],
    [
      '{"properties":{"__proto__":{"type":"string"},"a/b~":{"type":"string"}}}',
      '{"__proto__":1,"a/b~":1}',
      ['/__proto__ must be text', '/a~1b~0 must be text'],
    ],
    ['{"required":["toString"],"properties":{"constructor":false}}', '{}', ['/toString is missing']],
  ])('%s of %s', (schema, value, faults) => expect(faultsOf(schema, value)).toEqual(faults));

  it('names the keyword by its pointer in the schema, at most 50 times', () => {
    const schema = { items: { $ref: '#/$defs/price' }, $defs: { price: { minimum: 0 } } };
    const faults = validate(compiled(schema), Array<number>(60).fill(-1));
    expect(faults).toHaveLength(50);
    expect(faults[0]).toEqual({
      pointer: '/0',
      schema_pointer: '/$defs/price/minimum',
      keyword: 'minimum',
      message: 'must be at least 0',
    });
  });
});

describe('by property: a schema of any supported kind', () => {
  it('accepts the values that it was made for', () => {
    fc.assert(
      fc.property(schemasWithValues, ({ schema, values }) => {
        for (const value of values) expect(faultsOf(schema, JSON.stringify(value))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('gives one answer for any value, each time', () => {
    fc.assert(
      fc.property(schemasWithValues, fc.jsonValue(), ({ schema }, value) => {
        const text = JSON.stringify(value);
        expect(faultsOf(schema, text)).toEqual(faultsOf(schema, text));
      }),
      { numRuns: 500 },
    );
  });

  it('answers its negation the other way round', () => {
    fc.assert(
      fc.property(schemasWithValues, fc.jsonValue(), ({ schema }, value) => {
        const negation = { $defs: (schema as { $defs: Json }).$defs, not: { $ref: '#/$defs/of' } };
        const text = JSON.stringify(value);
        expect(faultsOf(negation, text).length === 0).toBe(faultsOf(schema, text).length > 0);
      }),
      { numRuns: 500 },
    );
  });
});

/** Each `d` applies the next one twice: 2^60 applications. */
const doubling = (keyword: string): Json => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === 59 ? { minLength: 9 } : { [keyword]: [next, next] }];
    }),
  ),
});

const many = (count: number, part: Json): Json[] => Array<Json>(count).fill(part);
const SPENT = ' takes too many steps to check against its schema: make the schema simpler or the value smaller';

describe('a hostile schema', () => {
  it.each<[string, Json, Json]>([
    ['allOf of 1900 schemas, for each of 9000 entries', { items: { allOf: many(1900, {}) } }, many(9000, 1)],
    ['nested anyOf', doubling('anyOf'), 'x'],
    ['nested oneOf', doubling('oneOf'), 'x'],
    ['nested allOf', doubling('allOf'), 'x'],
    ['many constants of one large value', { anyOf: many(1500, { const: 'a' }) }, 'x'.repeat(250_000)],
    ['many lengths of one large text', { allOf: many(1500, { maxLength: 300_000 }) }, 'x'.repeat(250_000)],
    ['uniqueItems many times', { allOf: many(900, { uniqueItems: true }) }, Array.from({ length: 9000 }, (_, n) => n)],
    ['many divisions', { items: { allOf: many(1000, { multipleOf: 1e-90 }) } }, many(9000, 123.456)],
    ['a pattern that forks at each character', { pattern: '(a?){900}b' }, 'a'.repeat(250_000)],
    ['required names', { items: { required: Array.from({ length: 3000 }, (_, n) => `n${n}`) } }, many(9000, {})],
  ])('ends a validation with an error, never as valid: %s', (_name, schema, value) => {
    expect(faultsOf(schema, JSON.stringify(value))).toEqual([SPENT]);
  });

  const digits = (count: number) => `0.${'1'.repeat(count)}`;
  const twoHundred = (part: string) => `{"allOf":[${Array<string>(200).fill(part).join()}]}`;

  it.each<[string, string, string]>([
    ['type', twoHundred('{"type":"integer"}'), digits(250_000)],
    ['minimum', twoHundred('{"minimum":0}'), digits(250_000)],
    ['const', twoHundred('{"const":1}'), digits(250_000)],
    ['multipleOf', twoHundred('{"multipleOf":1}'), digits(250_000)],
    ['a division', twoHundred('{"multipleOf":7e-250000}'), digits(100_000)],
    ['a long minimum', `{"items":{"minimum":${digits(31_000)}}}`, `[${Array<string>(200).fill('1.0').join()}]`],
    ['a long step', `{"items":{"multipleOf":1.${'0'.repeat(31_000)}}}`, `[${Array<string>(200).fill('1.0').join()}]`],
  ])('counts the digits of a number: %s', (_name, schema, value) => {
    expect(faultsOf(schema, value)).toEqual([SPENT]);
  });

  it('counts the characters of names', () => {
    const names = Array.from({ length: 900 }, (_, index) => [`${'x'.repeat(240)}${index}`, 1]);
    expect(faultsOf({ allOf: many(5, { const: 1 }) }, Object.fromEntries(names) as Json)).toEqual([SPENT]);
  });

  /** `value` below 30 members with the longest names. */
  const deep = (value: Json): Json =>
    Array.from({ length: 30 }).reduce<Json>((inner) => ({ ['~'.repeat(256)]: inner }), value);

  it('reports as many faults as have room: pointers into a deep value are long', () => {
    const schema = { additionalProperties: { $ref: '#' }, items: { type: 'string' } };
    expect(faultsOf(schema, many(60, 1))).toHaveLength(50);
    expect(faultsOf(schema, deep(many(60, 1)))).toHaveLength(1);
  });

  it('makes the pointers of faults that are reported, and of no others', () => {
    const schema = { additionalProperties: { $ref: '#' }, anyOf: [{ type: 'object' }, ...many(900, { type: 'null' })] };
    const replacing = vi.spyOn(String.prototype, 'replaceAll');
    const program = compiled(schema);
    replacing.mockClear();
    expect(validate(program, deep('x'))).toHaveLength(1);
    const calls = replacing.mock.calls.length;
    replacing.mockRestore();
    expect(calls).toBe(60);
  });

  it('ends a validation that applies too many schemas inside each other', () => {
    const applied = (index: number): Json => (index === 899 ? {} : { $ref: `#/$defs/d${index + 1}` });
    const $defs = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`d${index}`, applied(index)]));
    expect(faultsOf({ $defs, $ref: '#/$defs/d0' }, 1)).toEqual([
      ' is nested too deeply to check against its schema: make the schema or the value less nested',
    ]);
  });

  it('is refused where it contains too many others', () => {
    expect(refusals(JSON.stringify({ allOf: many(1999, {}) }))).toEqual([]);
    expect(refusals(JSON.stringify({ allOf: many(10_000, {}) }))).toEqual([
      '/allOf/1999 A schema consists of at most 2000 schemas, itself included.',
    ]);
  });

  it('is refused where too many others are inside long names', () => {
    const inside = Array.from({ length: 6 }).reduce<Json>((inner) => ({ $defs: { ['/'.repeat(256)]: inner } }), {
      allOf: many(1900, {}),
    });
    expect(refusals(JSON.stringify(inside))).toEqual([expect.stringMatching(/Shorten the names/)]);
  });

  it('is refused where its patterns are too large', () => {
    const schema = { allOf: Array.from({ length: 700 }, (_, index) => ({ pattern: `a{900}${index}` })) };
    expect(refusals(JSON.stringify(schema))[0]).toContain('/pattern The pattern is too large');
  });

  it.each<[string, Json, Json]>([
    ['5000 different objects', { uniqueItems: true }, Array.from({ length: 5000 }, (_, a) => ({ a }))],
    ['a text of 60 KB with a pattern', { pattern: '^[a-z ]*$' }, 'hello there '.repeat(5000)],
    [
      'a tree of 1000 nodes',
      {
        $defs: {
          node: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, nodes: { items: { $ref: '#/$defs/node' } } },
          },
        },
        $ref: '#/$defs/node',
      },
      { name: 'root', nodes: many(1000, { name: 'x', nodes: [] }) },
    ],
  ])('is not what a large value is: %s', (_name, schema, value) => {
    expect(faultsOf(schema, JSON.stringify(value))).toEqual([]);
  });

  it('stops at the number of steps that it was given', () => {
    const schema = compiled({ items: { type: 'integer' } });
    const value = many(1000, 1);
    expect(validate(schema, value, 6000)).toEqual([]);
    expect(validate(schema, value, 2000)).toMatchObject([{ keyword: 'budget' }]);
    expect(MAX_STEPS).toBeLessThanOrEqual(250_000);
  });
});
