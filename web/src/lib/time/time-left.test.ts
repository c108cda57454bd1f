// The countdown of a deadline: what is left, when it turns to a warning, and how it reads.
import { describe, expect, it } from 'vitest';
import { timeLeft, timeLeftText } from './time-left.ts';

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

  const DAY = 86_400;
  it.each([
    ['a warning of more than an hour', 7 * DAY, 120_960, '1 d 9 h'],
    ['a warning of an hour', DAY, 3600, '1 h'],
    ['a warning of less than an hour', DAY, 3599, '59:59'],
    ['a warning of seconds', 600, 9, '0:09'],
    ['minutes without a warning', 3600, 3000, '50 min'],
    ['hours without a warning', DAY, 20_000, '5 h 33 min'],
    ['a deadline that has passed', 600, -3, '0:00'],
  ])('reads, as %s of a span of %i s, with %i s left, as %s', (_, span, left, text) => {
    expect(timeLeftText(deadline(span), 1_000_000 - left * 1000)).toBe(text);
  });
});
