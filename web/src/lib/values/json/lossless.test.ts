// Parsing and printing returns what was sent: numbers by their text, members in their order.
import fc from 'fast-check';
import { parse as oracle, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { jsonText, type Json } from '@countersign/shared/json/json';
import { exactJson, valueKey } from '@countersign/shared/json-schema/exact-numbers';
// Both sides must agree, so this test holds one against the other.
// oxlint-disable-next-line no-restricted-imports
import { sameJson as serversRule } from '../../../../../server/src/domain/items/item.ts';
import { breaches, changedPaths, sameDecimals, sameJson } from './json-compare.ts';
import { countValues, pathTo, shortPath } from './json-tree.ts';
import { JsonFault } from './json-fault.ts';
import { entriesOf, kindOf, Numeral, parseJson, printJson, spansOf, type JsonObject } from './lossless.ts';

const NUMBERS = ['1.0', '1e2', '-0', '0.12345678901234567890', '1E+2', '12345678901234567890', '0.10', '7', '-3.5'];
const KEYS = ['a', 'b', '2', '1', '10', '__proto__', 'constructor', 'toString', '', 'odd key', '01', '4294967295'];

/** JSON texts, as pipelines write them: any spelling of numbers, any order of keys. */
const scalarText = fc.oneof(
  fc.constantFrom(...NUMBERS, 'true', 'false', 'null'),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
const { value: anyText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalarText,
    fc.array(tie('value'), { maxLength: 4 }).map((members) => `[${members.join(' , ')}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 5, selector: ([key]) => key })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(',')}}`),
  ),
}));

const tokens = (text: string) => text.match(/"(?:[^"\\]|\\.)*"|[^\s]/g)?.join('');

describe('parseJson and printJson', () => {
  it('return every text unchanged, for any numbers, keys and order', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = parseJson(text);
        expect(tokens(printJson(value))).toBe(tokens(text));
        expect(tokens(printJson(value, 0))).toBe(tokens(text));
        expect(JSON.parse(printJson(value))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('print ordinary values as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const read = parseJson(text);
        // Minus zero is the one number JSON.stringify changes.
        fc.pre(!text.includes('-0') && !Object.is(value, -0));
        expect(printJson(read)).toBe(JSON.stringify(JSON.parse(text), null, 2));
        expect(printJson(read, 0)).toBe(text);
      }),
    );
  });

  it('preserve what lossless-json preserves', () => {
    for (const number of NUMBERS) {
      const text = `{"a":${number}}`;
      expect(printJson(parseJson(text), 0)).toBe(stringify(oracle(text)));
    }
  });

  it('refuse what JSON.parse refuses, and say where', () => {
    const broken = fc.tuple(anyText, fc.nat(), fc.constantFrom('', ',', ']', '{', '"', '1', '\\', '\n', 'x', '.'));
    fc.assert(
      fc.property(broken, ([text, at, put]) => {
        const spoilt = text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1);
        const refused = faultOf(() => JSON.parse(spoilt) as unknown) !== null;
        const fault = faultOf(() => parseJson(spoilt));
        if (fault instanceof JsonFault && fault.why === 'twice') return;
        expect(fault !== null).toBe(refused);
        if (fault !== null) expect(fault).toBeInstanceOf(JsonFault);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['', 'empty', 1, 1],
    ['{\n  "a": 1,\n}', 'trailing', 3, 1],
    ['{"a" 1}', 'colon', 1, 6],
    ['{a: 1}', 'key', 1, 2],
    ['{"a": 1, "a": 2}', 'twice', 1, 10],
    ['[1 2]', 'comma', 1, 4],
    ['{"a": "x\n}', 'quote', 1, 7],
    ['{"a": 01}', 'comma', 1, 8],
    ['{"a": nul}', 'value', 1, 7],
    ['[1', 'open', 1, 3],
    ['"\\x"', 'escape', 1, 1],
    ['1 2', 'more', 1, 3],
    ['['.repeat(300), 'deep', 1, 202],
  ] as const)('%j: %s at line %i, column %i', (text, why, line, column) => {
    expect(faultOf(() => parseJson(text))).toMatchObject({ why, line, column });
  });

  it('are sent in a request as they were received', () => {
    const value = parseJson('{"b":1.0,"n":-0}');
    expect(jsonText({ output: value })).toBe('{"output":{"b":1.0,"n":-0}}');
    expect(kindOf(new Numeral('1.0') as unknown as Json)).toBe('number');
    expect(JSON.stringify({ n: new Numeral('1.0') })).toMatch(/^{"n":1(\.0)?}$/);
  });

  it('handle keys that objects inherit', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"2":0,"1":0}') as JsonObject;
    expect(entriesOf(value).map(([key]) => key)).toEqual(['__proto__', '2', '1']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('return the position of each value of an object', () => {
    const text = ' { "a" : 1.0 , "b":"x,y" } ';
    expect(spansOf(text).map(({ key, from, to }) => [key, text.slice(from, to)])).toEqual([
      ['a', '1.0'],
      ['b', '"x,y"'],
    ]);
  });
});

describe('sameJson', () => {
  it('LC0: agrees with the server on what changes nothing', () => {
    const close = fc
      .tuple(anyText, anyText, fc.boolean())
      .map(([one, other, same]) => [one, same ? one : other] as const);
    fc.assert(
      fc.property(close, ([one, other]) => {
        expect(sameJson(parseJson(one), parseJson(other))).toBe(serversRule(JSON.parse(one), JSON.parse(other)));
      }),
    );
  });

  it.each([
    ['1.0', '1', true],
    ['1e2', '100', true],
    ['-0', '0', true],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
    ['{"a":null}', '{}', false],
    ['{"__proto__":1}', '{"__proto__":2}', false],
    ['[1]', '{"0":1}', false],
    ['0.1', '0.2', false],
  ])('%s and %s: %s', (one, other, same) => {
    expect(sameJson(parseJson(one), parseJson(other))).toBe(same);
    expect(serversRule(JSON.parse(one), JSON.parse(other))).toBe(same);
  });
});

describe('sameDecimals', () => {
  it('TS3: agrees with the server on numbers by their text', () => {
    const digits = fc.constantFrom('0.1', '0.10', '1e-1', '0.10000000000000001', '-0', '0', '1e400', '1e401');
    const close = fc.tuple(anyText, anyText, fc.boolean()).map(([one, other, same]) => [one, same ? one : other]);
    const keyOf = (text: string) => valueKey(exactJson(text), () => undefined);
    fc.assert(
      fc.property(fc.oneof(close, fc.tuple(digits, digits)), ([one = '', other = '']) => {
        expect(sameDecimals(parseJson(one), parseJson(other))).toBe(keyOf(one) === keyOf(other));
      }),
    );
  });
});

describe('changedPaths', () => {
  it.each([
    ['{"a":1,"b":{"c":2,"d":[1]}}', '{"a":2,"b":{"c":2,"d":[1,2]}}', ['$.a', '$.b.d']],
    ['{"a":1}', '{"b":1}', ['$.a', '$.b']],
    ['[{"x":1},{"x":2}]', '[{"x":1},{"x":3}]', ['$[1].x']],
    ['1', '2', ['$']],
    ['{"a":0.1}', '{"a":0.10000000000000001}', ['$.a']],
    ['[1.0,1e2,-0]', '[1,100,0]', []],
    ['{"__proto__":1,"odd key":1}', '{"__proto__":2,"odd key":2}', ['$.__proto__', '$["odd key"]']],
  ])('finds the changed paths between %s and %s', (one, other, paths) => {
    expect(changedPaths(parseJson(one), parseJson(other))).toEqual(paths);
  });

  it('names a path exactly when something differs', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        const [left, right] = [parseJson(one), parseJson(other)];
        expect(changedPaths(left, right).length === 0).toBe(sameDecimals(left, right));
      }),
    );
  });

  it('writes a path for people', () => {
    expect([shortPath('$'), shortPath('$.a.b'), shortPath('$[0].a'), pathTo('$', 'a-b')]).toEqual([
      '$',
      'a.b',
      '[0].a',
      '$["a-b"]',
    ]);
  });
});

describe('breaches', () => {
  it.each([
    ['{"a":1,"b":2}', '{"a":1}', [{ kind: 'missing', path: '$.b' }]],
    ['{"a":1}', '{"a":"1"}', [{ kind: 'type', path: '$.a', was: 'number', is: 'string' }]],
    ['{"a":1.0}', '{"a":2}', []],
    ['{"a":null}', '{"a":"x"}', []],
    ['{"a":"x"}', '{"a":null}', [{ kind: 'type', path: '$.a', was: 'string', is: 'null' }]],
    ['{"a":{"b":[1]}}', '{"a":{"b":[]}}', [{ kind: 'emptied', path: '$.a.b' }]],
    ['[{"a":1},{"a":2}]', '[{"a":1},{"a":2},{}]', [{ kind: 'missing', path: '$[2].a' }]],
    ['[{"a":1},{"b":2}]', '[{"a":1}]', []],
    ['[1,2]', '[1,2,"3"]', [{ kind: 'type', path: '$[2]', was: 'number', is: 'string' }]],
    ['{"a":1}', '[]', [{ kind: 'type', path: '$', was: 'object', is: 'array' }]],
    ['{"__proto__":1}', '{}', [{ kind: 'missing', path: '$.__proto__' }]],
    ['{"a":1}', '{"a":2,"more":true}', []],
  ])('finds what an edit from %s to %s breaches', (before, after, expected) => {
    expect(breaches(parseJson(before), parseJson(after))).toEqual(expected);
  });

  it('finds none where nothing was changed', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(breaches(parseJson(text), parseJson(text))).toEqual([]);
      }),
    );
  });
});

it('counts values up to a bound', () => {
  expect(countValues(parseJson('{"a":[1,2,{"b":null}]}'), 100)).toBe(6);
  expect(
    countValues(
      Array.from({ length: 1000 }, () => 0),
      300,
    ),
  ).toBe(301);
});

function faultOf(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}
