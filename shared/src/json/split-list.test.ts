/** Splitting a list in JSON text into its members. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitList } from './split-list.ts';

/** All parts at once. */
function split(text: string): { envelope: string; items: string[] } {
  const parts = splitList(text, 'items');
  const items: string[] = [];
  let part = parts.next();
  for (; part.done !== true; part = parts.next()) items.push(part.value);
  return { envelope: part.value, items };
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const allJson = ({ envelope, items }: { envelope: string; items: string[] }) => [envelope, ...items].every(isJson);

describe('splitList', () => {
  it.each<[string, string[]]>([
    ['{"items":[]}', []],
    ['{"items":[ ]}', []],
    ['{ "items" : [1, "a,]\\"", {"b":[1,{}]} , [ ] ] }', ['1', ' "a,]\\""', ' {"b":[1,{}]} ', ' [ ] ']],
    ['{"other":{"items":[9]},"items":[{"items":[1,2]}]}', ['{"items":[1,2]}']],
    ['{"a":"items","items":[1]}', ['1']],
    ['{"\\u0069tems":[1,2]}', ['1', '2']],
  ])('splits the list in %s', (text, items) => {
    expect(split(text).items).toEqual(items);
    expect(allJson(split(text))).toBe(true);
  });

  it.each(['{"x":[1]}', '[]', '7', '"items"', '{"items":{"0":1}}', '{"items":"[1]"}'])(
    'finds no list in %s',
    (text) => {
      expect(split(text)).toEqual({ envelope: text, items: [] });
    },
  );

  it.each([
    '{"items":[1,,2]}',
    '{"items":[,]}',
    '{"items":[1}',
    '{"items":[{"a":1]}]}',
    '{"items":["a]}',
    '{"items":[1]',
    '{"items":[1}}',
    '{"items":[}}',
    '{"items":[1}]',
  ])('%s: yields a part that cannot be parsed', (text) => expect(allJson(split(text))).toBe(false));

  it('by property: yields the members of any list, in their own spelling', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom('', ' ', '\n'), (values, gap) => {
        const texts = values.map((value) => `${gap}${JSON.stringify(value)}${gap}`);
        const found = split(`{"items":[${texts.join(',')}]}`);
        expect(found.items).toEqual(texts);
        expect(JSON.parse(found.envelope)).toEqual({ items: values.map(() => 0) });
      }),
    );
  });

  it('by property: a text is valid JSON exactly when all its parts are', () => {
    const noise = fc.array(fc.constantFrom(...'{}[],:"\\1 ', '"items":[', 'null'), { maxLength: 12 });
    fc.assert(
      fc.property(noise, (parts) => {
        const text = `{"items":[${parts.join('')}]}`;
        expect(allJson(split(text))).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('by property: the same for near-valid batches with one character changed, removed or doubled', () => {
    const spoiled = fc.tuple(
      fc.array(fc.jsonValue(), { maxLength: 3 }),
      fc.nat(),
      fc.constantFrom('', ...'{}[],:"\\1 ', 'x'),
    );
    fc.assert(
      fc.property(spoiled, fc.nat(1), ([values, place, character], skipped) => {
        const good = `{"items":${JSON.stringify(values)}}`;
        const at = place % good.length;
        const text = good.slice(0, at) + character + good.slice(at + skipped);
        expect(allJson(split(text)), text).toBe(isJson(text));
      }),
      { numRuns: 3000 },
    );
  });
});
