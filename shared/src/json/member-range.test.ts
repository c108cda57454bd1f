// Where the text of a member is, in any spelling of its object.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberRange } from './member-range.ts';

function memberText(text: string, name: string): string | null {
  const range = memberRange(text, name);
  return range && text.slice(range.from, range.to).trim();
}

describe('memberRange', () => {
  it.each<[string, string | null]>([
    ['{"a":1}', '1'],
    ['{ "b" : {"a":2}, "a" : [1, {"a":3}] , "c":"a"}', '[1, {"a":3}]'],
    ['{"b":"a","a":"}"}', '"}"'],
    ['{"\\u0061":true}', 'true'],
    ['{"a":1,"a":2}', '1'],
    ['{"":0,"a":{}}', '{}'],
    ['{}', null],
    ['{"b":{"a":1}}', null],
    ['[{"a":1}]', null],
    ['"a"', null],
    ['', null],
    ['{"a":', null],
    ['{"a"', null],
  ])('of %s', (text, expected) => expect(memberText(text, 'a')).toBe(expected));

  it('finds what JSON.parse finds, in every object', () => {
    const key = fc.constantFrom('a', 'b', '', '"', '\\', '{');
    const object = fc.dictionary(key, fc.jsonValue());
    fc.assert(
      fc.property(object, key, fc.constantFrom(undefined, 2), (value, name, indent) => {
        const found = memberText(JSON.stringify(value, null, indent), name);
        expect(found === null ? undefined : JSON.parse(found)).toEqual(
          Object.hasOwn(value, name) ? JSON.parse(JSON.stringify(value[name])) : undefined,
        );
      }),
    );
  });

  it('of the object that begins at an index', () => {
    const text = '{"params":{"arguments":[1]}}';
    const params = memberRange(text, 'params');
    expect(memberRange(text, 'arguments', params?.from)).toEqual({ from: 23, to: 26 });
  });
});
