// How deliveries travel to the database: all of them, in order, and never too much text at once.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { portionsOf } from './fan-out.ts';

const of = (...lengths: number[]) => lengths.map((length) => ({ body: 'x'.repeat(length) }));
const sizes = (portions: { body: string }[][]) => portions.map((each) => each.map(({ body }) => body.length));

it.each([
  ['nothing', [], []],
  ['what fits together', [4, 6], [[4, 6]]],
  ['what does not', [4, 7, 3], [[4], [7, 3]]],
  ['one that is too long alone', [1, 11, 1], [[1], [11], [1]]],
])('I5: deliveries of ten units at the most: %s', (_, lengths, portions) => {
  expect(sizes(portionsOf(of(...lengths), 10))).toEqual(portions);
});

it('I5: none is lost, doubled or moved, and a portion is too long only where one delivery is', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (lengths) => {
      const portions = sizes(portionsOf(of(...lengths), 20));
      expect(portions.flat()).toEqual(lengths);
      for (const each of portions)
        if (each.length > 1) expect(each.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(20);
    }),
  );
});
