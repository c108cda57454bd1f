// The JSON writer that embeds stored text unchanged (I7).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../schemas/parts/json.ts';
import { jsonText, RawJson, rawJson } from './json.ts';

describe('jsonText', () => {
  it.each<[string, unknown]>([
    ['texts with everything that needs an escape', { a: '"\\/\b\f\n\r\t\u0000\u2028\ud800é😀' }],
    ['numbers', [0, -0, 1.5, 1e21, 5e-324, Number.NaN, Infinity]],
    ['words', [true, false, null]],
    ['members without a value', { a: undefined, b: 1, c: [undefined] }],
    ['dates', { at: new Date('2026-03-01T12:00:00.000Z') }],
    ['odd keys', JSON.parse('{"__proto__":1,"":2,"\\"":3,"2":4,"1":5}')],
    ['nothing in something', { a: {}, b: [], c: [[]], d: [{}] }],
  ])('writes %s as JSON.stringify does', (_, value) => {
    expect(jsonText(value)).toBe(JSON.stringify(value));
  });

  it('by property: writes any JSON value as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonText(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('by property: embeds raw text byte for byte', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (text, spaces) => {
        const spelled = JSON.stringify(JSON.parse(text), null, spaces);
        const raw = new RawJson(spelled);
        expect(jsonText(raw)).toBe(spelled);
        expect(jsonText({ before: 1, raw, after: [raw] })).toBe(`{"before":1,"raw":${spelled},"after":[${spelled}]}`);
      }),
    );
  });

  it('retains spellings that parsing and serializing would lose', () => {
    for (const text of ['1.0', '1E2', '0.10000000000000000555', '{"2":1,"1":2}', '"\\u00e9"', '[ 1 ]', '-0']) {
      expect(jsonText({ output: new RawJson(text) })).toBe(`{"output":${text}}`);
    }
  });

  it('raw JSON text appears unchanged in an answer, also in lists', () => {
    expect(jsonText([rawJson('1.0'), { a: rawJson('[ ]') }])).toBe('[1.0,{"a":[ ]}]');
  });
});

describe('the Json schema', () => {
  it('accepts every value that JSON.parse returns, and rejects a missing one', () => {
    for (const value of [null, 0, '', false, [], {}, { a: [{ b: null }] }])
      expect(json.safeParse(value)).toEqual({ success: true, data: value });
    expect(json.safeParse(undefined).success).toBe(false);
  });
});
