// Highlighting JSON: the text stays exactly as it is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indented, runsOf } from './json-text.ts';

describe('names', () => {
  it('are distinguished from text values with any content', () => {
    const json = '{ "a\\":" : ["b", ":"], "c":{"d" :"e"} }';
    const names = runsOf(json).filter(({ isName }) => isName);
    expect(names.map(({ text }) => text)).toEqual(['"a\\":"', '"c"', '"d"']);
  });

  it('the names and the other runs joined equal the text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(
          runsOf(text)
            .map((run) => run.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('indenting', () => {
  it('equals the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value: unknown = JSON.parse(json);
        expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('preserves the spelling of numbers and texts', () => {
    expect(indented('{"n":1.50,"big":12345678901234567890,"t":"\\u00e9"}')).toBe(
      '{\n  "n": 1.50,\n  "big": 12345678901234567890,\n  "t": "\\u00e9"\n}',
    );
  });

  it('leaves invalid JSON unchanged', () => {
    expect(indented('<html>{')).toBe('<html>{');
  });
});
