// Compares two JSON values: whether they are equal, where they differ, and how an edit broke the shape.
import type { Json } from '@countersign/shared/json/json';
import { compareNumbers, isNumber } from '@countersign/shared/json-schema/exact-numbers';
import { pathTo } from './json-tree.ts';
import { entriesOf, isArray, isObject, isScalar, kindOf, numberText, type JsonObject } from './lossless.ts';

/** Equal as JSON, by the rule of the server: key order means nothing, numbers compare by value, as doubles. */
export const sameJson = (left: Json, right: Json): boolean =>
  isSame(left, right, (one, other) => Number(numberText(one)) === Number(numberText(other)));

/** The same, with every digit of a number: a double drops some (TS3). */
export const sameDecimals = (left: Json, right: Json): boolean =>
  isSame(left, right, (one, other) => isNumber(one) && isNumber(other) && compareNumbers(one, other) === 0);

function isSame(left: Json, right: Json, sameNumber: (one: Json, other: Json) => boolean): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return false;
  if (kind === 'number') return sameNumber(left, right);
  if (isArray(left) && isArray(right))
    return left.length === right.length && left.every((member, at) => isSame(member, right[at] ?? null, sameNumber));
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && isSame(left[key] ?? null, right[key] ?? null, sameNumber))
    );
  }
  return left === right;
}

/** The paths at which two values differ, also in digits that a double drops, outermost first. A list of another length is one change. */
export function changedPaths(before: Json, after: Json, path = '$'): string[] {
  if (sameDecimals(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...entriesOf(before), ...entriesOf(after)].map(([key]) => key));
    return [...keys].flatMap((key) => {
      const [left, right] = [memberOf(before, key), memberOf(after, key)];
      const at = pathTo(path, key);
      return left === undefined || right === undefined ? [at] : changedPaths(left, right, at);
    });
  }
  if (isArray(before) && isArray(after) && before.length === after.length)
    return before.flatMap((member, at) => changedPaths(member, after[at] ?? null, pathTo(path, at)));
  return [path];
}

const memberOf = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** A difference that breaks a pipeline which expects the shape of the suggestion. */
export type Breach =
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'emptied'; readonly path: string }
  | { readonly kind: 'type'; readonly path: string; readonly was: string; readonly is: string };

/** The most breaches worth reading. */
const MAX_BREACHES = 20;

/** Missing keys, values of another type and lists that lost all members. Lists are compared with their first member. */
export function breaches(before: Json, after: Json): Breach[] {
  return found(before, after, '$').slice(0, MAX_BREACHES);
}

function found(before: Json, after: Json, path: string): Breach[] {
  const [was, is] = [kindOf(before), kindOf(after)];
  // A former null has no type yet.
  if (was !== is) return was === 'null' ? [] : [{ kind: 'type', path, was, is }];
  if (isObject(before) && isObject(after))
    return entriesOf(before).flatMap(([key, member]): Breach[] => {
      const now = memberOf(after, key);
      const at = pathTo(path, key);
      return now === undefined ? [{ kind: 'missing', path: at }] : found(member, now, at);
    });
  if (!isArray(before) || !isArray(after)) return [];
  if (before.length > 0 && after.length === 0) return [{ kind: 'emptied', path }];
  if (before.length === after.length)
    return before.flatMap((member, at) => found(member, after[at] ?? null, pathTo(path, at)));
  const first = before[0];
  const alike = first !== undefined && before.every((member) => kindOf(member) === kindOf(first));
  if (!alike) return [];
  // Members moved: each must still have what all of them had.
  const common = isObject(first) ? commonOf(before as JsonObject[]) : first;
  return isScalar(common) || isObject(common)
    ? after.flatMap((member, at) => found(common, member, pathTo(path, at)))
    : [];
}

/** The members common to every row. */
function commonOf(rows: readonly JsonObject[]): JsonObject {
  const [first, ...rest] = rows;
  if (first === undefined) return {};
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) =>
      rest.every((row) => Object.hasOwn(row, key) && kindOf(row[key] ?? null) === kindOf(value)),
    ),
  );
}
