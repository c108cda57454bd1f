// Tests how large the next step of a long list is.
import { describe, expect, it } from 'vitest';
import { nextSize } from './rows-in-steps.svelte.ts';

describe('the next step of a list', () => {
  it.each([
    ['twice as many rows after a quick step', 10, 1, 20],
    ['as many after one of the wanted time', 10, 5, 10],
    ['half as many after a slow one', 10, 20, 5],
    ['at most 80 rows', 60, 1, 80],
    ['at least 2 rows', 2, 500, 2],
    ['one row where the first step had one', 1, 500, 1],
  ])('has %s', (_, size, ms, next) => {
    expect(nextSize(size, ms)).toBe(next);
  });
});
