// CT1: the key by which reasons are compared.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from './reason-key.ts';

describe('CT1: the key of a reason', () => {
  it.each([
    ['Wrong sum', 'wrong sum'],
    ['  The sum is WRONG! ', 'sum wrong'],
    ['Doesn’t answer', 'doesnt answer'],
    ['Réponse fausse', 'reponse fausse'],
    ['Неверная сумма', 'неверная сумма'],
    ['This is it', 'this is it'],
    ['???', '???'],
  ])('of “%s” is “%s”', (reason, key) => {
    expect(keyOf(reason)).toBe(key);
  });

  it('is idempotent, and never empty for a reason that is not empty', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(texts, (text) => {
        expect(keyOf(text)).not.toBe('');
        expect(keyOf(keyOf(text))).toBe(keyOf(text));
      }),
    );
  });
});
