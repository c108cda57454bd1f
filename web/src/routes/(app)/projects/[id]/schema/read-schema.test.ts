// Reads schemas as they are typed: each fault with its line, its place and words, as the service would refuse it.
import { describe, expect, it } from 'vitest';
import { EXAMPLE_SCHEMA } from './example-schema.ts';
import { readSchema } from './read-schema.ts';

const faultsOf = (text: string) => {
  const read = readSchema(text);
  return read.ok ? [] : read.faults;
};

describe('a schema as it is typed', () => {
  it('is read where it is valid, as is the example', () => {
    expect(readSchema('{"type": "string"}')).toEqual({ ok: true, schema: { type: 'string' } });
    expect(faultsOf(EXAMPLE_SCHEMA)).toEqual([]);
    expect(faultsOf('true')).toEqual([]);
  });

  it.each([
    [
      'a wrong keyword',
      '{\n  "properties": {\n    "amount": {"type": "money"}\n  }\n}',
      3,
      'properties › amount › type',
    ],
    ['an unsupported keyword', '{\n  "type": "object",\n  "$dynamicRef": "#a"\n}', 3, '$dynamicRef'],
    ['a pattern that looks back', '{"type": "string",\n"pattern": "(?=a)"}', 2, 'pattern'],
    ['a reference to nothing', '{\n"items": {\n"$ref": "#/$defs/none"}}', 3, 'items › $ref'],
    ['a value that is no schema', '["a"]', 1, ''],
  ])('has %s with its line and its place', (_, text, line, place) => {
    expect(faultsOf(text).map((fault) => [fault.line, fault.place, fault.pointer !== null])).toEqual([
      [line, place, true],
    ]);
    expect(faultsOf(text)[0]?.message).toMatch(/^[A-Z].*\.$/);
  });

  it('has all faults, in the order of the lines', () => {
    const text = '{\n"items": {"minLength": -1},\n"type": "text",\n"maximum": "5"\n}';
    expect(faultsOf(text).map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  it.each([
    ['{"a": 1,\n}', 'Line 2, column 1: trailing comma.'],
    ['{"a": 1,\n"a": 2}', 'Line 2, column 1: duplicate key.'],
    ['{', 'Line 1, column 2: unclosed bracket.'],
  ])('says where it is no JSON: %j', (text, message) => {
    expect(faultsOf(text)).toEqual([{ line: Number(message[5]), pointer: null, place: '', message }]);
  });
});
