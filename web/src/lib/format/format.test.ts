// Formatting of numbers, times and names.
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  ago,
  bytes,
  confidence,
  countdown,
  duration,
  initials,
  length,
  personName,
  queueCount,
  share,
  shares,
  shortAddress,
  shortQueueCount,
  took,
  UNKNOWN,
  within,
} from './format.ts';

const MINUTE = 60_000;

describe('counts of the queue', () => {
  it.each([
    [0, '0', '0'],
    [999, '999', '999'],
    [1000, '1,000', '1K'],
    [1999, '1,999', '1.9K'],
    [9999, '9,999', '9.9K'],
    [10_000, '10,000', '10K'],
    [Infinity, '10,000+', '10K+'],
  ])('%d is %s, in short %s', (value, exact, brief) => {
    expect([queueCount(value), shortQueueCount(value)]).toEqual([exact, brief]);
  });
});

describe('confidence', () => {
  it.each([
    [1, '1.00'],
    [0, '0.00'],
    [0.5, '0.50'],
    [0.75, '0.75'],
    [0.875, '0.875'],
    [0.9499, '0.9499'],
    [1e-7, '0.0000'],
  ])('formats %d as %s', (value, text) => expect(confidence(value)).toBe(text));

  it('never rounds up: the thresholds compare the number as submitted (RT5)', () => {
    expect(confidence(0.949999)).toBe('0.9499');
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => {
        const shown = Number(confidence(value));
        expect(shown).toBeLessThanOrEqual(value);
        expect(value - shown).toBeLessThan(0.000_100_1);
      }),
    );
  });
});

describe('shares', () => {
  it.each<[number[], string[]]>([
    [[], []],
    [
      [0, 0],
      [UNKNOWN, UNKNOWN],
    ],
    [
      [0, 5],
      ['0%', '100%'],
    ],
    // Each rounded on its own: 17%, 17%, 67%.
    [
      [1, 1, 4],
      ['17%', '17%', '66%'],
    ],
    // Each rounded on its own: 33%, 33%, 33%.
    [
      [1, 1, 1],
      ['34%', '33%', '33%'],
    ],
    [
      [4, 332, 664],
      ['0.4%', '33.2%', '66.4%'],
    ],
    [
      [1, 4999, 5000],
      ['<0.1%', '50%', '50%'],
    ],
    [
      [1, 0, 99_999],
      ['<0.1%', '0%', '>99.9%'],
    ],
  ])('formats %j as %j', (parts, texts) => expect(shares(parts)).toEqual(texts));

  it('adds up to 100%, and no part is a step away from its own share', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50_000), { minLength: 1, maxLength: 9 }), (parts) => {
        const whole = parts.reduce((sum, part) => sum + part, 0);
        fc.pre(whole > 0);
        const shown = shares(parts).map((text) =>
          text.startsWith('<') ? 0 : text.startsWith('>') ? 100 : parseFloat(text),
        );
        expect(shown.reduce((sum, part) => sum + part, 0)).toBeCloseTo(100, 6);
        for (const [at, part] of parts.entries()) expect(Math.abs(shown[at]! - (100 * part) / whole)).toBeLessThan(1);
      }),
    );
  });
});

describe('bytes', () => {
  it.each([
    [0, '0 byte'],
    [999, '999 byte'],
    [1000, '1 kB'],
    [1_234_567, '1.23 MB'],
    [5_000_000_000, '5 GB'],
  ])('formats %d bytes with their unit', (value, words) => {
    expect(bytes(value)).toBe(words);
  });
});

describe('countdown', () => {
  it.each([
    [0, '0:00'],
    [-5000, '0:00'],
    [1, '0:01'],
    [59_000, '0:59'],
    [221_000, '3:41'],
    [3_600_000, '1:00:00'],
    [3_725_000, '1:02:05'],
  ])('formats %d ms as %s', (ms, text) => expect(countdown(ms)).toBe(text));
});

describe('duration', () => {
  it.each([
    [0, '0 s'],
    [45_000, '45 s'],
    [90_000, '1 min'],
    [61 * MINUTE, '1 h 1 min'],
    [120 * MINUTE, '2 h'],
    [52 * 60 * MINUTE, '2 d 4 h'],
  ])('formats %d ms as %s', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('length', () => {
  it.each([
    [0, '0 s'],
    [0.01, 'under 0.1 s'],
    [0.6, '0.6 s'],
    [0.999, '1 s'],
    [1.44, '1.4 s'],
    [42.4, '42 s'],
    [59.6, '1 min'],
    [90, '1 min 30 s'],
    [118, '2 min'],
    [299, '5 min'],
    [500, '8 min'],
    [3599, '1 h'],
    [3661, '1 h 1 min'],
    [86_399, '1 d'],
    [100_000, '1 d 4 h'],
  ])('AN36: formats %d s, rounded to what is known, as %s', (seconds, text) => expect(length(seconds)).toBe(text));

  it.each([
    [12, 'within 12 s'],
    [0.01, 'under 0.1 s'],
  ])('AN36: says of %d s in a sentence: %s', (seconds, text) => expect(within(length(seconds))).toBe(text));

  it.each([
    [3.2, '3 ms'],
    [999.4, '999 ms'],
    [5000, '5 s'],
  ])('says that %d ms took %s', (ms, text) => expect(took(ms)).toBe(text));
});

describe('share', () => {
  it.each([
    [0, 10, '0%'],
    [10, 10, '100%'],
    [1, 3, '33%'],
    [199, 200, '99.5%'],
    [1, 200, '0.5%'],
    [1, 1_000_000, '<0.1%'],
    [999_999, 1_000_000, '>99.9%'],
  ])('AN36: says of %d of %d: %s', (part, of, text) => expect(share(part, of)).toBe(text));
});

describe('ago', () => {
  it.each([
    [0, 119_000, '2 min ago'],
    [0, 89_000, '1 min ago'],
    [12 * 60 * MINUTE - 900, 0, 'in 12 h'],
    [3 * 24 * 60 * MINUTE - 40_000, 0, 'in 3 d'],
    [0, 59_700, '59 s ago'],
    [0, 3_599_000, '1 h ago'],
    [28 * MINUTE, 0, 'in 28 min'],
    [0, 3 * 24 * 60 * MINUTE, '3 d ago'],
    [0, 119 * MINUTE, '2 h ago'],
    [7000, 0, 'in 7 s'],
    [0, 400, 'now'],
  ])('formats %d at %d, in the largest unit, rounded to the nearest, as %s', (at, now, text) =>
    expect(ago(at, now)).toBe(text),
  );
});

describe('people and shares', () => {
  it.each([
    ['Ana Ruiz', 'AR'],
    ['Marek', 'MA'],
    ['  Ana Maria  de la Ruiz ', 'AR'],
    ['7xKXtg2C', '7X'],
    ['', '?'],
    ['👩‍🔬 Zoe', '👩Z'],
  ])('takes the initials of %j as %s', (name, letters) => expect(initials(name)).toBe(letters));

  it('shortens a long address to its ends, and no short one', () => {
    expect(shortAddress('7xKXtg2CWx8Q4vDh9mZ1rT5yBnE3sPfLcJ6uHkWa9fQ2')).toBe('7xKX…9fQ2');
    expect(shortAddress('123456789')).toBe('123456789');
    expect(personName({ name: null, address: '7xKXtg2CWx8Q9fQ2' })).toBe('7xKX…9fQ2');
  });

  it('has no share of an empty whole', () => {
    expect(share(0, 0)).toBe(UNKNOWN);
    expect(share(1, 4)).toContain('25');
  });
});
