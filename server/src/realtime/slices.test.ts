// Tests that a round of projects is taken in slices of limited size, each project once.
import { expect, it } from 'vitest';
import { Slices } from './slices.ts';

const sizes: Record<string, number> = { a: 4, b: 4, c: 9, d: 50, e: 0, f: 0 };
const packetsOf = (id: string) => sizes[id] ?? 0;

/** The slices of a whole round. */
function round(slices: Slices, due: string[]): string[][] {
  const taken = [slices.next(() => due, packetsOf)];
  while (slices.again) taken.push(slices.next(() => ['never asked'], packetsOf));
  return taken;
}

it('MB9: a slice has at most its number of packets, unless one project alone has more', () => {
  expect(round(new Slices(10), ['a', 'b', 'c', 'd', 'e', 'f'])).toEqual([['a', 'b'], ['c'], ['d'], ['e', 'f']]);
});

it('what is due meanwhile waits for the next round', () => {
  const slices = new Slices(5);
  expect(round(slices, ['a', 'b'])).toEqual([['a'], ['b']]);
  expect(round(slices, ['a'])).toEqual([['a']]);
  expect(round(slices, [])).toEqual([[]]);
});

it('what could not be sent is taken again after the rest', () => {
  const slices = new Slices(5);
  slices.next(() => ['a', 'b'], packetsOf);
  slices.putBack(['a']);
  expect(round(slices, [])).toEqual([['b'], ['a']]);
});
