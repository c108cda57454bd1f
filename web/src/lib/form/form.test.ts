// The form of real and of generated schemas: its fields, and that only what was touched changes (TS4).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { schemasWithValues } from '@countersign/shared/json-schema/json-schema.fixture';
import { keepSpelling } from '../values/json/keep-spelling.ts';
import { parseJson, printJson } from '../values/json/lossless.ts';
import { fieldsOf, flatFields, type Control, type Field } from './fields.ts';
import { orderOf, pointerOf, valueAt, withEntries, withMember, withMoved, withoutValue, withValue } from './paths.ts';
import { REAL_SCHEMAS } from './real-schemas.fixture.ts';
import { scaffoldOf } from './scaffold.ts';
import { entriesOfLines, writtenOf } from './typing.ts';

const json = (value: unknown): Json => value as Json;
const outline = (field: Field): string[] =>
  flatFields(field).map(({ pointer, label, control }) => `${pointer} ${label}: ${shown(control)}`);

function shown(control: Control): string {
  if (control.kind === 'choice') return `choice ${control.chosen + 1} of ${control.choices.length}`;
  if (control.kind === 'union') return `union ${control.options.map(({ name }) => name).join(' | ')} ${control.chosen}`;
  return control.kind;
}

describe('fieldsOf', () => {
  const realOutline = (name: string) => {
    const real = REAL_SCHEMAS.find((each) => each.name === name);
    if (real === undefined) throw new Error(name);
    return outline(fieldsOf(json(real.schema), parseJson(real.suggestion)));
  };

  it('follows the order of the schema and names fields by their titles', () => {
    expect(realOutline('an invoice')).toEqual([
      ' Invoice: object',
      '/number Invoice number: text',
      '/issued Issued on: date',
      '/currency Currency: choice 1 of 3',
      '/total Total: number',
      '/paid Paid: boolean',
      '/notes Notes: text',
    ]);
  });

  it('names the options of a union by title, constant or kind', () => {
    expect(realOutline('a union of three shapes')).toEqual([
      ' : object',
      '/payment Payment: union Card | transfer | Voucher code 0',
      '/payment/method method: const',
      '/payment/last4 last4: text',
    ]);
  });

  it('follows a recursive schema as far as the value goes', () => {
    expect(realOutline('a recursive tree').filter((line) => line.includes('children'))).toEqual([
      '/children Children: list',
      '/children/0 Category: object',
      '/children/0/name name: text',
      '/children/0/children Children: list',
      '/children/0/children/0 Category: object',
      '/children/0/children/0/name name: text',
      '/children/0/children/0/children Children: list',
      '/children/1 Category: object',
      '/children/1/name name: text',
      '/children/1/children Children: absent',
    ]);
  });

  it.each<[string, unknown, unknown, string]>([
    ['no schema to speak of', true, 1, 'json'],
    ['any value', {}, 1, 'json'],
    ['names that follow a pattern', { type: 'object', patternProperties: { '^x': {} } }, {}, 'json'],
    [
      'members that depend on a condition',
      { properties: { a: {} }, if: {}, then: { properties: { b: {} } } },
      {},
      'json',
    ],
    ['a condition that adds nothing', { properties: { a: {} }, if: {}, then: { required: ['a'] } }, {}, 'object'],
    ['a list of anything', { type: 'array' }, [], 'json'],
    ['a reference to itself', { $ref: '#' }, {}, 'json'],
    ['a reference to elsewhere', { $ref: 'https://example.com/x' }, {}, 'json'],
    ['an enum of objects', { enum: [{ a: 1 }] }, {}, 'json'],
    ['a text that is a number', { type: 'string' }, 12, 'text'],
    ['an object that is a text', { properties: { a: {} } }, 'x', 'json'],
    ['a date', { type: 'string', format: 'date' }, '2026-01-31', 'date'],
    ['a date that is none', { type: 'string', format: 'date' }, 'soon', 'text'],
    ['a date that no calendar has', { type: 'string', format: 'date' }, '2026-02-30', 'text'],
    ['a moment on no real day', { type: 'string', format: 'date-time' }, '2026-02-29T10:00:00Z', 'text'],
    ['a moment on a leap day', { type: 'string', format: 'date-time' }, '2024-02-29T10:00:00Z', 'date'],
    ['a year before 1', { type: 'string', format: 'date' }, '0000-01-01', 'text'],
    ['a time with its zone', { type: 'string', format: 'time' }, '10:00:00Z', 'date'],
    ['several kinds', { type: ['string', 'number'] }, 1, 'union Text | Number 1'],
    [
      'a union inside a union',
      {
        oneOf: [
          { title: 'Cash', type: 'object', properties: { cash: { const: true } } },
          {
            title: 'Transfer',
            oneOf: [
              { title: 'SEPA', type: 'object', properties: { iban: {} } },
              { title: 'Wire', type: 'object', properties: { swift: {} } },
            ],
          },
        ],
      },
      { swift: 'X' },
      'union Cash | Transfer › SEPA | Transfer › Wire 2',
    ],
    ['null or a text', { anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 'text'],
    ['branches that only require', { properties: { a: {} }, anyOf: [{ required: ['a'] }, {}] }, {}, 'object'],
    ['merged parts', { allOf: [{ type: 'number' }, { maximum: 1 }] }, 1, 'number'],
  ])('shows %s', (_, schema, value, expected) => {
    expect(shown(fieldsOf(json(schema), json(value)).control)).toBe(expected);
  });

  it.each<[string, unknown, string, string]>([
    ['a choice', { enum: [1, 2] }, '1.0', 'choice 1 of 2'],
    ['a choice by the spelling of the schema', { enum: [10, 20] }, '2e1', 'choice 2 of 2'],
    ['no choice for a text', { enum: [1, 2] }, '"1"', 'choice 0 of 2'],
    ['no choice for a number beside it', { enum: [1, 2] }, '1.00000000000000000001', 'choice 0 of 2'],
    ['a titled constant', { oneOf: [{ const: 0, title: 'No' }, { const: 1 }] }, '1.0', 'choice 2 of 2'],
    [
      'an option by its enum',
      { oneOf: [{ enum: [5, 6] }, { title: 'Other', type: 'number', enum: [100, 200] }] },
      '1e2',
      'union Option 1 | Other 1',
    ],
    [
      'an option by its constant',
      { oneOf: [{ properties: { v: { const: 1 }, a: {} } }, { properties: { v: { const: 2 }, a: {} } }] },
      '{"v":2.0,"a":1}',
      'union 1 | 2 1',
    ],
    [
      'an option by its constant, and no other',
      { oneOf: [{ properties: { v: { const: 1 } } }, { properties: { v: { const: 2 } } }] },
      '{"v":"2"}',
      'union 1 | 2 -1',
    ],
  ])('finds %s, by the value of a number', (_, schema, value, expected) => {
    expect(shown(fieldsOf(parseJson(JSON.stringify(schema)), parseJson(value)).control)).toBe(expected);
  });

  it('edits members whose names follow a pattern as JSON, and the others as the schema says', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, n_named: { type: 'number' } },
      patternProperties: { '^n_': { type: 'number' } },
      allOf: [{ patternProperties: { é$: { type: 'boolean' } } }],
      additionalProperties: { type: 'string' },
    };
    const value = { a: 'x', n_named: 1, n_a: 5, yesé: true, other: 'y' };
    expect(outline(fieldsOf(json(schema), json(value)))).toEqual([
      ' : object',
      '/a a: text',
      '/n_named n_named: number',
      '/n_a n_a: json',
      '/yesé yesé: json',
      '/other other: text',
    ]);
  });

  it('says which fields may be null, are required or are read-only', () => {
    const schema = json({
      required: ['a'],
      properties: { a: { type: ['string', 'null'] }, b: { type: 'number', readOnly: true } },
    });
    const [, a, b] = flatFields(fieldsOf(schema, {}));
    expect([a?.nullable, a?.required, a?.readOnly]).toEqual([true, true, false]);
    expect([b?.nullable, b?.required, b?.readOnly]).toEqual([false, false, true]);
  });

  it('by property: has a form for any schema and any value, within a bounded number of fields', () => {
    fc.assert(
      fc.property(schemasWithValues, fc.jsonValue(), ({ schema, values }, other) => {
        for (const value of [...values, json(other)])
          expect(flatFields(fieldsOf(json(schema), value)).length).toBeLessThan(5000);
      }),
    );
  });
});

describe('typing', () => {
  const field = (schema: unknown, value: unknown, path: Field['path'] = ['a']) => ({
    ...fieldsOf(json(schema), json(value)),
    path,
  });
  const text = { type: 'string' };
  const number = { type: 'number' };
  const moment = { type: 'string', format: 'date-time' };

  it.each<[string, Parameters<typeof writtenOf>[0], string, string | undefined]>([
    ['a text', field(text, ''), '12', '"12"'],
    ['a number in its own spelling', field(number, 1), '1.50', '1.50'],
    ['what is no number as a text', field(number, 1), '1.', '"1."'],
    ['nothing for an empty number', field(number, 1), ' ', undefined],
    ['an empty text for an entry of a list', field(number, 1, ['a', 0]), '', '""'],
    [
      'a moment in the zone it had',
      field(moment, '2026-01-01T10:00:00+02:00'),
      '2026-01-02T10:00',
      '"2026-01-02T10:00:00+02:00"',
    ],
    ['a moment in UTC', field(moment, undefined), '2026-01-02T10:00:07', '"2026-01-02T10:00:07Z"'],
  ])('writes %s', (_, of, typed, expected) => {
    const written = writtenOf(of, typed);
    expect(written === undefined ? undefined : printJson(written, 0)).toBe(expected);
  });

  it('splits pasted lines', () => {
    expect(entriesOfLines('a\r\n\n b \nc', 'string')).toEqual(['a', 'b', 'c']);
    expect(printJson(entriesOfLines('1.0\nx', 'number'), 0)).toBe('[1.0,"x"]');
  });
});

describe('paths', () => {
  const value = parseJson('{"b":1.0,"2":[1,2,3],"a":{"x/y":null}}');

  it('changes one place and keeps the order and the spelling of the others', () => {
    expect(printJson(withValue(value, ['a', 'x/y'], true), 0)).toBe('{"b":1.0,"2":[1,2,3],"a":{"x/y":true}}');
    expect(printJson(withValue(value, ['2', 1], 'n'), 0)).toBe('{"b":1.0,"2":[1,"n",3],"a":{"x/y":null}}');
    expect(printJson(withMoved(value, ['2'], [0, 2]), 0)).toBe('{"b":1.0,"2":[2,3,1],"a":{"x/y":null}}');
    expect(printJson(withEntries(value, ['2'], [4, 5]), 0)).toBe('{"b":1.0,"2":[1,2,3,4,5],"a":{"x/y":null}}');
    expect(pointerOf(['a', 'x/y'])).toBe('/a/x~1y');
  });

  it('puts a key back where it was, and a new one where the schema has it', () => {
    const order = orderOf(value, ['a', 'c', 'b']);
    const without = withoutValue(value, ['2']) ?? null;
    expect(printJson(withMember(without, { path: ['2'], order }, 0), 0)).toBe('{"b":1.0,"2":0,"a":{"x/y":null}}');
    expect(printJson(withMember(value, { path: ['c'], order }, 0), 0)).toBe(
      '{"b":1.0,"2":[1,2,3],"a":{"x/y":null},"c":0}',
    );
  });
});

describe('scaffoldOf', () => {
  it.each<[unknown, string | undefined]>([
    [{ type: 'string' }, undefined],
    [
      {
        type: 'object',
        required: ['a', 'b', 'c'],
        properties: { a: { type: 'object', properties: {} }, b: { const: 1 }, c: { type: 'string' } },
      },
      '{"a":{},"b":1}',
    ],
    [{ type: 'array', minItems: 2, items: { type: 'object', properties: {} } }, '[{},{}]'],
    [
      {
        $defs: { n: { type: 'object', required: ['n'], properties: { n: { $ref: '#/$defs/n' } } } },
        $ref: '#/$defs/n',
      },
      '{"n":{"n":{"n":{"n":{"n":{"n":{}}}}}}}',
    ],
    [{ type: 'object', properties: { a: { default: 5 } } }, '{}'],
  ])('of %j is %s', (schema, expected) => {
    const value = scaffoldOf(json(schema));
    expect(value === undefined ? undefined : printJson(value, 0)).toBe(expected);
  });
});

describe('TS4: what nobody touched', () => {
  /** JSON text with white space anywhere, numbers in odd spellings and escapes. */
  const spelled: fc.Arbitrary<string> = fc.letrec<{ value: string; node: string }>((tie) => {
    const space = fc.constantFrom('', ' ', '\n  ');
    const scalar = fc.constantFrom(
      '1.0',
      '1e2',
      '-0',
      '0.12345678901234567890',
      '"\\u00e9"',
      '"é"',
      '""',
      'null',
      'true',
    );
    const key = fc.constantFrom('a', '2', '1', 'b', '\\u0063', '__proto__');
    const padded = fc.tuple(space, tie('value'), space).map((parts) => parts.join(''));
    const member = fc
      .tuple(space, key, space, padded)
      .map(([a, name, b, value]): [string, string] => [name, `${a}"${name}"${b}:${value}`]);
    return {
      value: fc.oneof({ maxDepth: 3 }, scalar, tie('node')),
      node: fc.oneof(
        fc.array(padded, { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
        fc
          .uniqueArray(member, { maxLength: 4, selector: ([name]) => name })
          .map((members) => `{${members.map(([, text]) => text).join(',')}}`),
      ),
    };
  }).value;

  const scalarsIn = (value: Json, path: Field['path'] = []): Field['path'][] =>
    value !== null && typeof value === 'object' && !('text' in value && typeof value.text === 'string')
      ? Object.entries(value).flatMap(([key, each]) =>
          scalarsIn(each, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [path];

  it('by property: without a touch every byte stays', () => {
    fc.assert(
      fc.property(spelled, (text) => {
        expect(keepSpelling(text, parseJson(text))).toBe(text);
      }),
    );
  });

  it('by property: one touched value replaces its own bytes and no other', () => {
    fc.assert(
      fc.property(spelled, fc.nat(), (text, pick) => {
        const value = parseJson(text);
        const paths = scalarsIn(value);
        const path = paths[pick % Math.max(1, paths.length)];
        if (path === undefined || path.length === 0) return;
        const edited = keepSpelling(text, withValue(value, path, 'typed'));
        const at = edited.indexOf('"typed"');
        const tail = edited.length - at - '"typed"'.length;
        expect(text.startsWith(edited.slice(0, at))).toBe(true);
        expect(text.endsWith(edited.slice(edited.length - tail))).toBe(true);
        expect(printJson(parseJson(edited), 0)).toBe(printJson(withValue(value, path, 'typed'), 0));
      }),
      { numRuns: 500 },
    );
  });

  it('by property: any edit is written as the value it is', () => {
    fc.assert(
      fc.property(spelled, spelled, (source, other) => {
        const edited = parseJson(other);
        expect(printJson(parseJson(keepSpelling(source, edited)), 0)).toBe(printJson(edited, 0));
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, string, string]>([
    ['[ 1.0 , {"a" : "\\u0061"} ]', '[{"a":"a"},1.0]', '[ {"a" : "\\u0061"} , 1.0 ]'],
    ['[1,\n 2,\n 3]', '[1,2,4,3]', '[1,\n 2,\n 4,\n 3]'],
    ['{ "a": 1.0,\n  "b": 2 }', '{"a":1.0,"c":3,"b":2}', '{ "a": 1.0,\n  "c": 3,\n  "b": 2 }'],
    ['{"a":1,"b":[ 2 ]}', '{"b":[2]}', '{"b":[ 2 ]}'],
    ['{}', '{"a":[1]}', '{"a":[1]}'],
    ['[{"n":1.0,"t":"\\u0061"}]', '[{"n":1.0,"t":"b"}]', '[{"n":1.0,"t":"b"}]'],
  ])('%s edited to %s is sent as %s', (source, edited, expected) => {
    expect(keepSpelling(source, parseJson(edited))).toBe(expected);
  });

  it.each(REAL_SCHEMAS)('$name: each field changes its own value alone', ({ schema, suggestion }) => {
    const value = parseJson(suggestion);
    const compiled = compileSchema(JSON.stringify(schema));
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
    expect(validate(compiled.schema, value)).toEqual([]);
    const fields = flatFields(fieldsOf(json(schema), value));
    for (const field of fields.filter(({ control }) => ['text', 'number', 'date'].includes(control.kind))) {
      if (field.value === undefined) continue;
      const edited = withValue(value, field.path, writtenOf(field, '1969-12-31') ?? null);
      const text = keepSpelling(suggestion, edited);
      const typed = printJson(valueAt(edited, field.path) ?? null, 0);
      const at = text.indexOf(typed);
      expect(suggestion.startsWith(text.slice(0, at)) && suggestion.endsWith(text.slice(at + typed.length))).toBe(true);
    }
  });
});
