// The countdown of a deadline: what is left, and when it turns to a warning.
import { describe, expect, it } from 'vitest';
import { timeLeft } from './time-left.ts';

const deadline = (span_seconds: number) => ({
  ...{ at: new Date(1_000_000).toISOString(), on_deadline: 'expire' as const, span_seconds, extended: false },
});

describe('DL5: the time left of a deadline', () => {
  it.each([
    [600, 879_999, 120_001, false],
    [600, 880_000, 120_000, true],
    [600, 1_000_001, -1, true],
    [10, 997_999, 2001, false],
    [10, 998_000, 2000, true],
  ])('with a span of %i s at %i ms is %i ms, a warning: %s', (span, now, left, warns) => {
    expect(timeLeft(deadline(span), now)).toEqual({ left, warns });
  });
});
