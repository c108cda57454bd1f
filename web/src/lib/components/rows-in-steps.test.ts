// Tests how large the next step of a long list is.
import { describe, expect, it } from 'vitest';
import { nextSize } from './rows-in-steps.svelte.ts';

describe('the next step of a list', () => {
  it.each([
    ['after a quick step, twice as many rows', 10, 1, 20],
    ['after one of the wanted time, as many', 10, 5, 10],
    ['after a slow one, half as many', 10, 20, 5],
    ['never more than this many', 60, 1, 80],
    ['never so few that the list does not end', 2, 500, 2],
  ])('has %s', (_, size, ms, next) => {
    expect(nextSize(size, ms)).toBe(next);
  });
});
