// Retry-After in all its formats.
/// <reference types="node" />
import { afterEach, describe, expect, it } from 'vitest';
import { retryAfterSeconds } from './retry-after.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

describe('retryAfterSeconds', () => {
  it.each([
    ['0', 0],
    [' 120 ', 120],
    ['99999999999', 99_999_999_999],
    ['Sun, 06 Nov 1994 08:49:57 GMT', 20],
    ['Sunday, 06-Nov-94 08:49:57 GMT', 20],
    ['Sun Nov  6 08:49:57 1994', 20],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    [null, null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['1994-11-06', null],
  ])('reads %j as %j', (value, expected) => {
    expect(retryAfterSeconds(value, null, NOW)).toBe(expected);
  });

  it('measures a date against the clock of the response, so that a fast local clock causes no early retry', () => {
    const [until, date] = ['Sun, 06 Nov 1994 08:49:57 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT'];
    expect(retryAfterSeconds(until, date, NOW + 3_600_000)).toBe(20);
    expect(retryAfterSeconds(until, 'nonsense', NOW)).toBe(20);
  });

  it('reads the oldest date format, which has no zone, as GMT in every local time zone', () => {
    process.env['TZ'] = 'America/New_York';
    expect(retryAfterSeconds('Sun Nov  6 08:49:57 1994', null, NOW)).toBe(20);
  });

  it('rounds a fraction of a second up', () => {
    expect(retryAfterSeconds('Sun, 06 Nov 1994 08:49:57 GMT', null, NOW + 1)).toBe(20);
  });
});
