// Rule RS1 as a table, and by property for any JSON.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '@countersign/shared/enums';
import { outcomeOf } from './regression.ts';

describe('RS1: the outcome of a new suggestion for a learning', () => {
  it.each<[string, { suggestion: string; output: string | null }, string, Outcome]>([
    ['an edit, answered as before', { suggestion: '"No"', output: '"Yes"' }, '"No"', 'still_fails'],
    ['an edit, answered as corrected', { suggestion: '"No"', output: '"Yes"' }, '"Yes"', 'fixed'],
    ['an edit, answered otherwise', { suggestion: '"No"', output: '"Yes"' }, '"Perhaps"', 'differs'],
    ['a rejection, answered as before', { suggestion: '{"a":1}', output: null }, '{"a":1}', 'still_fails'],
    ['a rejection, answered otherwise', { suggestion: '{"a":1}', output: null }, '{"a":2}', 'differs'],
    [
      'compares values, not their spelling',
      { suggestion: '0', output: '{"b":[1,2],"a":10}' },
      '{ "a":1e1,"b":[1.0,2] }',
      'fixed',
    ],
    ['a text differs from the value that it spells', { suggestion: '1', output: '"1"' }, '1', 'still_fails'],
    ['null is an answer', { suggestion: 'null', output: null }, 'null', 'still_fails'],
    ['a rejection is not fixed by null', { suggestion: '"x"', output: null }, 'null', 'differs'],
    ['the order of a list matters', { suggestion: '[1,2]', output: null }, '[2,1]', 'differs'],
  ])('compares a new suggestion with its learning: %s', (_, learning, answer, outcome) => {
    expect(outcomeOf(learning, answer)).toBe(outcome);
  });

  it('is still_fails for the suggestion and fixed for the correction, for any values', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (suggestion, output) => {
        const [before, after] = [
          outcomeOf({ suggestion, output }, suggestion),
          outcomeOf({ suggestion, output }, output),
        ];
        expect(after).toBe('fixed');
        expect(outcomeOf({ suggestion, output: null }, suggestion)).toBe('still_fails');
        // The suggestion equals the correction only when an edit changed nothing, which is refused.
        fc.pre(before !== 'fixed');
        expect(before).toBe('still_fails');
      }),
    );
  });
});
