// AN29: no name is confused with the absence of a name.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OTHER_KEY } from './rollup-keys.ts';
import { keyOfName, nameOfKey } from './rollup-names.ts';

describe.each(['flag', 'model', 'source'] as const)('AN29: the key of a %s', (measure) => {
  const name = fc.oneof(
    fc.constantFrom(null, 'unknown', 'no flag', '\u0001', '\u0001unknown', '\u0001no flag'),
    fc.string({ minLength: 1 }),
  );

  it('gives back the name, or null when there was none', () => {
    fc.assert(
      fc.property(name, (given) => {
        expect(nameOfKey(measure, keyOfName(measure, given))).toBe(given);
      }),
    );
  });

  it('differs for every name, and never equals the key shared by all others', () => {
    fc.assert(
      fc.property(name, name, (left, right) => {
        expect(keyOfName(measure, left) === keyOfName(measure, right)).toBe(left === right);
        expect(keyOfName(measure, left)).not.toBe(OTHER_KEY);
      }),
    );
  });

  it('keeps the meaning of keys that were counted before names were escaped', () => {
    expect([nameOfKey(measure, measure === 'flag' ? 'no flag' : 'unknown'), nameOfKey(measure, 'gpt')]).toEqual([
      null,
      'gpt',
    ]);
  });
});
