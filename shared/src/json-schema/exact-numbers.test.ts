// Numbers of JSON text: compared as decimals, however they are spelled and however long they are.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson, type Json } from '../json/json.ts';
import {
  compareNumbers,
  exactJson,
  isInteger,
  isMultiple,
  numberKey,
  valueKey,
  type JsonNumber,
} from './exact-numbers.ts';

const read = (text: string): JsonNumber => exactJson(text) as unknown as JsonNumber;
const free = (): void => {};

describe('exactJson', () => {
  it('keeps the spelling of numbers that JavaScript would change', () => {
    expect(exactJson('[1, 1.0, 12345678901234567890, 1e400, 0.1, -0, 1E2]')).toEqual([
      1,
      new RawJson('1.0'),
      new RawJson('12345678901234567890'),
      new RawJson('1e400'),
      0.1,
      new RawJson('-0'),
      new RawJson('1E2'),
    ]);
  });

  it('reads a member that is called __proto__ as a member', () => {
    expect(Object.keys(exactJson('{"__proto__":1}') as object)).toEqual(['__proto__']);
  });

  it('by property: reads what JSON.parse reads', () => {
    const texts = fc.jsonValue().map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(texts, (text) => {
        expect(exactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('numbers', () => {
  it.each<[string, '<' | '=' | '>', string]>([
    ['1', '=', '1.0'],
    ['100', '=', '1e2'],
    ['-0', '=', '0'],
    ['0.1', '=', '1e-1'],
    ['12345678901234567890', '<', '12345678901234567891'],
    ['0.1', '<', '0.10000000000000000001'],
    ['1e400', '>', '1e399'],
    ['1e400', '<', '2e400'],
    ['-1e400', '<', '-1e399'],
    ['1e-400', '>', '0'],
    ['-1', '<', '1e-400'],
    ['9007199254740993', '>', '9007199254740992'],
  ])('%s %s %s', (one, sign, other) => {
    const order = Math.sign(compareNumbers(read(one), read(other)));
    expect(order).toBe({ '<': -1, '=': 0, '>': 1 }[sign]);
    expect(numberKey(read(one)) === numberKey(read(other))).toBe(sign === '=');
  });

  it.each<[string, boolean]>([
    ['1.0', true],
    ['1.5', false],
    ['15e-1', false],
    ['150e-1', true],
    ['1e400', true],
    ['1e-400', false],
    ['0.0', true],
    ['12345678901234567890', true],
    ['12345678901234567890.5', false],
  ])('%s is an integer: %s', (text, expected) => expect(isInteger(read(text))).toBe(expected));

  it.each<[string, string, boolean]>([
    ['0.3', '0.1', true],
    ['1.1', '0.01', true],
    ['0.35', '0.1', false],
    ['19.99', '0.01', true],
    ['12345678901234567890', '10', true],
    ['12345678901234567891', '10', false],
    ['1e308', '0.123456789', false],
    ['1e400', '7', false],
    ['7e400', '7', true],
    ['0', '0.3', true],
    ['-4.5', '1.5', true],
    ['1e1000000000', '3', false],
    ['1e-1000000000', '3', false],
    ['7', '2', false],
  ])('%s is a multiple of %s: %s', (value, divisor, expected) => {
    expect(isMultiple(read(value), read(divisor), free)).toBe(expected);
  });

  it('by property: one key for one value, however it is spelled', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(20), (whole, zeros) => {
        const spelled = `${whole * 10n ** BigInt(zeros)}e-${zeros}`;
        expect(numberKey(read(spelled))).toBe(numberKey(read(String(whole))));
        expect(compareNumbers(read(spelled), read(`${whole + 1n}.0`))).toBeLessThan(0);
      }),
    );
  });

  it('by property: divides as integers do', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        (value, divisor) => {
          expect(isMultiple(read(`${value}.0`), read(`${divisor}.0`), free)).toBe(value % divisor === 0n);
          expect(isMultiple(read(`${value * divisor}e-9`), read(`${divisor}e-9`), free)).toBe(true);
        },
      ),
    );
  });
});

describe('valueKey', () => {
  it('ignores the order of members and the spelling of numbers, and nothing else', () => {
    const keyOf = (text: string) => valueKey(exactJson(text), free);
    expect(keyOf('{"a":1,"b":[2.0]}')).toBe(keyOf('{"b":[2],"a":1.0}'));
    const different = ['1', '"1"', '[1]', '{"1":1}', 'true', 'null', '"null"', '{}', '[]', '""', '[[1],2]', '[1,[2]]'];
    expect(new Set(different.map(keyOf)).size).toBe(different.length);
  });

  it('by property: equal values have equal keys, other values have others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as Json);
        let isEqual = true;
        try {
          expect(a).toEqual(b);
        } catch {
          isEqual = false;
        }
        expect(valueKey(a as Json, free) === valueKey(b as Json, free)).toBe(isEqual);
      }),
    );
  });
});
