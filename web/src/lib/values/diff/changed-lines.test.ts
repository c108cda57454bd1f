// Counts changed lines as people count them.
import { expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

it.each([
  ['one\n\ntwo', 'one\n\ntwo', 0],
  ['one\n\ntwo', 'one\n\nthree', 1],
  ['one\n\ntwo', 'one\n\ntwo\n\nthree', 1],
  ['one\n\ntwo\n\nthree', 'ONE\n\ntwo\n\nTHREE', 2],
  ['one\n\ntwo\n\nthree', 'one', 2],
  ['one', 'one\n\n\n', 0],
  ['', 'one\ntwo', 2],
])('%j → %j: %i', (before, after, lines) => expect(changedLines(before, after)).toBe(lines));
