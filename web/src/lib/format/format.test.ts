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
  personName,
  share,
  shortAddress,
  UNKNOWN,
} from './format.ts';

const MINUTE = 60_000;

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

describe('ago', () => {
  it.each([
    [0, 119_000, '1 min ago'],
    [28 * MINUTE, 0, 'in 28 min'],
    [0, 3 * 24 * 60 * MINUTE, '3 d ago'],
    [0, 119 * MINUTE, '1 h ago'],
    [7000, 0, 'in 7 s'],
    [0, 400, 'now'],
  ])('formats %d at %d, in the largest whole unit, as %s', (at, now, text) => expect(ago(at, now)).toBe(text));
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
