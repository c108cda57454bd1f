// Names the places of faults for people: entries of lists count from one, keys stay as they are.
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { faultSentence, messagesByField } from './answer-faults.ts';

const message = 'must be a number';

describe('faultSentence', () => {
  it.each<[string, Json | undefined, string]>([
    ['/2024', { 2024: 'x' }, '2024 must be a number.'],
    ['/years/2024/0', { years: { 2024: ['x'] } }, 'years › 2024 › 1 must be a number.'],
    ['/lines/1/price', { lines: [{}, { price: 'x' }] }, 'lines › 2 › price must be a number.'],
    ['/lines/2', { lines: [1, 2] }, 'lines › 3 must be a number.'],
    ['/a~1b/0', { 'a/b': ['x'] }, 'a/b › 1 must be a number.'],
    ['/gone/2024', {}, 'gone › 2024 must be a number.'],
    ['/lines/1', undefined, 'lines › 1 must be a number.'],
    ['', [1], 'The answer must be a number.'],
  ])('%s in %j: %s', (pointer, value, sentence) => {
    expect(faultSentence({ pointer, message }, value)).toBe(sentence);
  });
});

describe('messagesByField', () => {
  it('names a place inside of a field as it is in the value', () => {
    const value = { years: { 2024: ['x'] }, lines: [{ 7: 'x' }] };
    const faults = ['/years/2024/0', '/lines/0/7'].map((pointer) => ({ pointer, message }));
    expect(messagesByField(faults, (pointer) => ['/years', '/lines/0', ''].includes(pointer), value)).toEqual({
      '/years': ['2024 › 1 must be a number.'],
      '/lines/0': ['7 must be a number.'],
    });
  });
});
