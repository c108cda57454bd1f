// Paths to nested values, and the number of values.
import type { Json } from '@countersign/shared/json/json';
import { isArray, isObject } from './lossless.ts';

const PLAIN = /^[A-Za-z_$][\w$]*$/;

/** A JSON path extended by one step: `$.a`, `$.a[0]`, `$["odd key"]`. */
export const pathTo = (path: string, step: string | number): string =>
  typeof step === 'number'
    ? `${path}[${step}]`
    : PLAIN.test(step)
      ? `${path}.${step}`
      : `${path}[${JSON.stringify(step)}]`;

/** A path for people: without the root, `address.city`. The root itself is left as `$`. */
export const shortPath = (path: string): string => path.replace(/^\$\.?(?=.)/, '');

/** The number of values in a value, including itself; stops counting beyond `most`. */
export function countValues(value: Json, most: number): number {
  let count = 0;
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined && count <= most; next = open.pop()) {
    count += 1;
    if (isArray(next)) for (const member of next) open.push(member);
    else if (isObject(next)) for (const member of Object.values(next)) open.push(member);
  }
  return count;
}
