// EW1: the expected wait from the median of the last hour, at the present depth.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXPECTED_WAIT_SPAN, expectedWait } from './expected-wait.ts';

const span = EXPECTED_WAIT_SPAN;
const same = (count: number, seconds: number) => Array<number>(count).fill(seconds);

it.each<[string, number[], number, number | null]>([
  ['is unknown without decisions', [], 3, null],
  ['is unknown with too few decisions', same(4, 60), 3, null],
  ['is the median wait of a quiet queue', [10, 20, 30, 40, 5000], 1, 21],
  ['is the median at the usual depth: 60 decisions after 10 minutes each are 10 waiting items', same(60, 600), 10, 600],
  ['doubles with twice the usual depth', same(60, 600), 20, 1200],
  ['halves with half the usual depth', same(60, 600), 5, 300],
  ['is at least a second', same(100, 0), 1, 1],
  ['is unknown beyond a week', same(5, 3600), 1000, null],
])('EW1: %s', (_, waits, depth, seconds) => expect(expectedWait({ waits, span, depth })).toBe(seconds));

it('EW1: never falls when more items wait', () => {
  const waits = fc.array(fc.double({ min: 0, max: 3600, noNaN: true }), { minLength: 5, maxLength: 50 });
  fc.assert(
    fc.property(waits, fc.nat(500), fc.nat(500), (some, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const at = (depth: number) => expectedWait({ waits: some, span, depth }) ?? Infinity;
      expect(at(high)).toBeGreaterThanOrEqual(at(low));
    }),
  );
});
