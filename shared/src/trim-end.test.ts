// Cutting off the end of a text: what is cut, what stays, and that a long run costs nothing special.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { trimEnd } from './trim-end.ts';

it.each([
  ['a.,', 'a'],
  ['.a.b..', '.a.b'],
  ['...', ''],
  ['', ''],
  ['a', 'a'],
  ['😀.', '😀'],
])('%j without . and , at its end is %j', (text, expected) => expect(trimEnd(text, '.,')).toBe(expected));

it('by property: cuts what an expression would', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('.', ',', 'a', '\n') }), (text) => {
      expect(trimEnd(text, '.,')).toBe(text.replace(/[.,]+$/, ''));
    }),
  );
});
