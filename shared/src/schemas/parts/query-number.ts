// Numbers in a query string. A default is a `prefault`: the OpenAPI document shows none of a converted value otherwise.
import { z } from 'zod';

/** Digits only: `Number` would also take an empty text, `0x10` and `1e1`. */
export const queryInteger = (least: number, most: number) =>
  z.preprocess(converted(/^\d+$/), z.number().int().min(least).max(most));

/** A decimal number without a sign, also with an exponent, as JSON has it. */
export const queryNumber = (least: number, most: number) =>
  z.preprocess(converted(/^\d+(\.\d+)?(e[+-]?\d+)?$/i), z.number().min(least).max(most));

const converted = (spelling: RegExp) => (text: unknown) =>
  typeof text === 'string' && spelling.test(text) ? Number(text) : text;
