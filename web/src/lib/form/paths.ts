// Changes a JSON value at a path and leaves everything else as it is; keys keep their order. Pure.
import { escapePart } from '@countersign/shared/json/json-pointer';
import { entriesOf, isArray, isObject, objectOf } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { memberOf } from './schema-reader.ts';

/** The way from the whole value to a place in it. */
export type Path = readonly (string | number)[];

/** The JSON pointer (RFC 6901) of a path. */
export const pointerOf = (path: Path): string => path.map((step) => `/${escapePart(step)}`).join('');

/** The value at a path; undefined where there is none. */
export const valueAt = (value: Json | undefined, path: Path): Json | undefined =>
  path.reduce<Json | undefined>(memberOf, value);

/** A place and the keys of the object around it, in the order in which a new key is placed among them. */
export interface OrderedPlace {
  readonly path: Path;
  readonly order: readonly string[];
}

/** The value with another one at the path. Objects on the way that are missing are made. */
export const withValue = (value: Json | undefined, path: Path, next: Json): Json =>
  withMember(value, { path, order: [] }, next);

/** The same; a key that is not there yet is placed in its order. */
export function withMember(value: Json | undefined, { path, order }: OrderedPlace, next: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  const inner = withMember(memberOf(value, step), { path: rest, order }, next);
  if (value !== undefined && isArray(value)) return value.with(Number(step), inner);
  const members = value !== undefined && isObject(value) ? entriesOf(value) : [];
  const at = members.findIndex(([key]) => key === step);
  if (at >= 0) return objectOf(members.with(at, [String(step), inner]));
  const present = members.map(([key]) => key);
  const place = rest.length === 0 ? placeOf(String(step), present, order) : members.length;
  return objectOf(members.toSpliced(place, 0, [String(step), inner]));
}

/** Behind the nearest key that comes before it in the order. */
function placeOf(key: string, present: readonly string[], order: readonly string[]): number {
  const own = order.indexOf(key);
  if (own < 0) return present.length;
  for (let at = own - 1; at >= 0; at -= 1) {
    const before = present.indexOf(order[at] ?? '');
    if (before >= 0) return before + 1;
  }
  const after = present.findIndex((each) => order.includes(each));
  return after < 0 ? present.length : after;
}

/** The order of keys that are taken out and put back: that of the text before the edit, then that of the schema. */
export function orderOf(before: Json | undefined, named: readonly string[]): string[] {
  const order = before !== undefined && isObject(before) ? entriesOf(before).map(([key]) => key) : [];
  for (const [at, key] of named.entries()) {
    if (order.includes(key)) continue;
    const previous = named.slice(0, at).findLast((each) => order.includes(each));
    order.splice(previous === undefined ? order.length : order.indexOf(previous) + 1, 0, key);
  }
  return order;
}

/** The value without the member or entry at the path; undefined where nothing is left. */
export function withoutValue(value: Json, path: Path): Json | undefined {
  const step = path.at(-1);
  if (step === undefined) return undefined;
  const way = path.slice(0, -1);
  const parent = valueAt(value, way);
  if (parent === undefined) return value;
  if (isArray(parent)) return withValue(value, way, parent.toSpliced(Number(step), 1));
  if (!isObject(parent)) return value;
  return withValue(value, way, objectOf(entriesOf(parent).filter(([key]) => key !== step)));
}

/** The value with entries added to the list at the path, behind the others. */
export function withEntries(value: Json | undefined, path: Path, entries: readonly Json[]): Json {
  const list = valueAt(value, path);
  return withValue(value, path, [...(list !== undefined && isArray(list) ? list : []), ...entries]);
}

/** The value with one entry of the list at the path moved to another position. */
export function withMoved(value: Json, path: Path, [from, to]: readonly [number, number]): Json {
  const list = valueAt(value, path);
  if (list === undefined || !isArray(list)) return value;
  const entry = list[from];
  if (entry === undefined || to < 0 || to >= list.length) return value;
  return withValue(value, path, list.toSpliced(from, 1).toSpliced(to, 0, entry));
}
