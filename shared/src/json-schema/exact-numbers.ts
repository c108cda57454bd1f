// Reads JSON without rounding its numbers, and compares numbers by the decimals that the text says.
import { RawJson, type Json } from '../json/json.ts';

/** A JavaScript number where its spelling is that of the text, otherwise the text. */
export type JsonNumber = number | RawJson;

/** ± `digits` × 10^`exponent`. Digits have no zeros at either end, so that equal numbers are equal here; zero has none. */
interface Decimal {
  negative: boolean;
  digits: string;
  exponent: number;
}

/** Exponents beyond it count as it: no such number is told apart from another, and a double reads it as 0 or infinity. */
const MAX_EXPONENT = 2 ** 50;

/**
 * The value of JSON text. A number that JavaScript would spell in another way (`1.0`, `1e400`, 19 digits) is a {@link RawJson}.
 * Where the platform does not tell the spelling (browsers older than 2025), it is rounded to a double. Throws as JSON.parse.
 */
export function exactJson(text: string): Json {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    return typeof value !== 'number' || source === undefined || String(value) === source ? value : new RawJson(source);
  };
  return JSON.parse(text, reviver) as Json;
}

/** Whether a value that `exactJson` has read is a number. */
export const isNumber = (value: unknown): value is JsonNumber => typeof value === 'number' || value instanceof RawJson;

/** The text of a number. */
export const numberText = (value: JsonNumber): string => (typeof value === 'number' ? String(value) : value.text);

/** What it costs to read a number that JavaScript spells in another way: it may have as many digits as a request has room. */
export const stepsOfNumber = (value: JsonNumber): number => (typeof value === 'number' ? 0 : value.text.length >> 3);

const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

function decimalOf(value: JsonNumber): Decimal {
  const [, sign, whole = '', fraction = '', power = '0'] = NUMBER.exec(numberText(value)) ?? [];
  const all = whole + fraction;
  let [from, to] = [0, all.length];
  while (from < to && all[from] === '0') from += 1;
  while (to > from && all[to - 1] === '0') to -= 1;
  if (from === to) return { negative: false, digits: '', exponent: 0 };
  const exponent = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(power)));
  return {
    negative: sign === '-',
    digits: all.slice(from, to),
    exponent: exponent - fraction.length + all.length - to,
  };
}

/** Negative, zero or positive, as for sorting. */
export function compareNumbers(one: JsonNumber, other: JsonNumber): number {
  // The shortest spellings of two doubles are in the order of the doubles.
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const size = compareSizes(a, b);
  return a.negative ? -size : size;
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.digits === '' || b.digits === '') return a.digits.length - b.digits.length;
  const magnitude = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (magnitude !== 0) return magnitude;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}

/** `1.0` and `1e2` are integers. */
export const isInteger = (value: JsonNumber): boolean =>
  typeof value === 'number' ? Number.isInteger(value) : decimalOf(value).exponent >= 0;

/** Digits that are divided at once. */
const CHUNK = 15;
const STEPS_OF_DIVISION = 60;
const STEPS_OF_CHUNK = 4;

/** `spend` is told the cost of long numbers. `divisor` is positive. */
export function isMultiple(value: JsonNumber, divisor: JsonNumber, spend: (steps: number) => void): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor))
    return (value as number) % (divisor as number) === 0;
  spend(stepsOfNumber(value) + stepsOfNumber(divisor));
  const [a, b] = [decimalOf(value), decimalOf(divisor)];
  if (a.digits === '') return true;
  const zeros = a.exponent - b.exponent;
  // The last digit of `a` is not zero, so no power of ten divides it.
  if (zeros < 0) return false;
  const chunks = Math.ceil(a.digits.length / CHUNK) * Math.ceil(b.digits.length / CHUNK);
  spend(STEPS_OF_DIVISION + STEPS_OF_CHUNK * chunks);
  const modulus = BigInt(b.digits);
  return (remainder(a.digits, modulus) * powerOfTen(zeros, modulus)) % modulus === 0n;
}

function remainder(digits: string, modulus: bigint): bigint {
  let rest = 0n;
  for (let at = 0; at < digits.length; at += CHUNK) {
    const chunk = digits.slice(at, at + CHUNK);
    rest = (rest * 10n ** BigInt(chunk.length) + BigInt(chunk)) % modulus;
  }
  return rest;
}

/** 10^`power` modulo `modulus`, by squaring. */
function powerOfTen(power: number, modulus: bigint): bigint {
  let [result, square] = [1n, 10n % modulus];
  for (let left = BigInt(power); left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** The number of significant digits. */
export const digitsOf = (value: JsonNumber): number => decimalOf(value).digits.length;

/** The longest integer that is spelled out in a key. */
const PLAIN_DIGITS = 15;

/** Equal for equal numbers only: `1.0` and `1` have one key. */
export function numberKey(value: JsonNumber): string {
  if (Number.isSafeInteger(value) && Math.abs(value as number) < 10 ** PLAIN_DIGITS) return numberText(value);
  const { negative, digits, exponent } = decimalOf(value);
  if (digits === '') return '0';
  const isPlain = exponent >= 0 && digits.length + exponent <= PLAIN_DIGITS;
  return (negative ? '-' : '') + digits + (isPlain ? '0'.repeat(exponent) : `e${exponent}`);
}

const STEPS_OF_KEY = 6;

/** A text that is equal for equal JSON values only. `spend` is told the size; throws where it throws. */
export function valueKey(value: Json, spend: (steps: number) => void): string {
  spend(STEPS_OF_KEY);
  if (isNumber(value)) {
    spend(stepsOfNumber(value));
    return numberKey(value);
  }
  if (typeof value === 'string') spend(value.length >> 3);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((entry) => valueKey(entry, spend)).join()}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => {
      spend(name.length >> 2);
      return `${JSON.stringify(name)}:${valueKey(value[name] ?? null, spend)}`;
    });
  return `{${members.join()}}`;
}
