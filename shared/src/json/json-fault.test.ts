// Finds the same errors as JSON.parse.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultSentence, findJsonFault, findJsonFaultAsync } from './json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('IJ1: the position of a JSON syntax error', () => {
  it.each<[string, string]>([
    ['', '1:1 a value'],
    ['\ufeff{}', '1:1 a value'],
    ['{"a":1,}', '1:8 a name in double quotes'],
    ['{"a" 1}', '1:6 a colon'],
    ['{"a":1 "b":2}', '1:8 a comma or }'],
    ['[1,]', '1:4 a value'],
    ['[1 2]', '1:4 a comma or ]'],
    ['{a:1}', '1:2 a name in double quotes or }'],
    ["{'a':1}", '1:2 a name in double quotes or }'],
    ['{\n  "a": NaN\n}', '2:8 a value'],
    ['{\r\n"a": "x\ny"}', '2:8 an escape such as \\n instead of a control character'],
    ['"\\x"', '1:2 an escape such as \\n or \\u00e9'],
    ['"abc', '1:5 a double quote that ends the text'],
    ['{} // x', '1:4 the end of the text'],
    ['[01]', '1:3 a comma or ]'],
    ['{"items":[1,', '1:13 a value'],
  ])('locates the syntax error of %j', (text, expected) => {
    const fault = findJsonFault(text);
    expect(`${fault?.line}:${fault?.column} ${fault?.expected}`).toBe(expected);
  });

  it('is found exactly when JSON.parse fails, for JSON with deletions, insertions and replacements', () => {
    const pieces = fc.constantFrom(
      '',
      ',',
      '"',
      '}',
      ']',
      '[',
      '{',
      ':',
      '0',
      '-',
      'e',
      '.',
      'null',
      '\\',
      '\n',
      '\u0000',
      ' ',
    );
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(3), pieces, (json, at, cut, piece) => {
        const from = at % (json.length + 1);
        const text = json.slice(0, from) + piece + json.slice(from + cut);
        expect(findJsonFault(text) === null).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is described in a sentence that quotes nothing of the text', () => {
    expect(faultSentence({ line: 2, column: 7, expected: 'a value' })).toBe(
      'At line 2, column 7 a value was expected.',
    );
  });

  it('IJ1: is searched in steps that yield to the event loop, so that a large body blocks no other request', async () => {
    let turns = 0;
    const yieldToEventLoop = () => Promise.resolve(void (turns += 1));
    const text = `[${'1,'.repeat(250_000)}x`;
    expect(await findJsonFaultAsync(text, yieldToEventLoop)).toEqual(findJsonFault(text));
    expect(turns).toBeGreaterThanOrEqual(25);
  });

  it('does not overflow the stack with 200 000 brackets', () => {
    expect(findJsonFault('['.repeat(200_000))).toMatchObject({ column: 200_001 });
  });
});
