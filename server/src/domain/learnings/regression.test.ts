// Rule RS1 as a table, and what holds of any JSON.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '@countersign/shared/enums';
import { outcomeOf } from './regression.ts';

describe('RS1: what a new suggestion makes of a learning', () => {
  it.each<[string, { suggestion: string; output: string | null }, string, Outcome]>([
    ['an edit, answered as before', { suggestion: '"No"', output: '"Yes"' }, '"No"', 'still_fails'],
    ['an edit, answered as corrected', { suggestion: '"No"', output: '"Yes"' }, '"Yes"', 'fixed'],
    ['an edit, answered otherwise', { suggestion: '"No"', output: '"Yes"' }, '"Perhaps"', 'differs'],
    ['a rejection, answered as before', { suggestion: '{"a":1}', output: null }, '{"a":1}', 'still_fails'],
    ['a rejection, answered otherwise', { suggestion: '{"a":1}', output: null }, '{"a":2}', 'differs'],
    [
      'the value, not its spelling',
      { suggestion: '0', output: '{"b":[1,2],"a":10}' },
      '{ "a":1e1,"b":[1.0,2] }',
      'fixed',
    ],
    ['a text is not the value that is written like it', { suggestion: '1', output: '"1"' }, '1', 'still_fails'],
    ['null is an answer', { suggestion: 'null', output: null }, 'null', 'still_fails'],
    ['a rejection is not fixed by null', { suggestion: '"x"', output: null }, 'null', 'differs'],
    ['the order of a list counts', { suggestion: '[1,2]', output: null }, '[2,1]', 'differs'],
  ])('%s', (_, learning, answer, outcome) => {
    expect(outcomeOf(learning, answer)).toBe(outcome);
  });

  it('the suggestion still fails and the correction fixes, whatever they are', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (suggestion, output) => {
        const [before, after] = [
          outcomeOf({ suggestion, output }, suggestion),
          outcomeOf({ suggestion, output }, output),
        ];
        expect(after).toBe('fixed');
        expect(outcomeOf({ suggestion, output: null }, suggestion)).toBe('still_fails');
        // Only where an edit changed nothing, which is refused, is the suggestion the correction.
        fc.pre(before !== 'fixed');
        expect(before).toBe('still_fails');
      }),
    );
  });
});
