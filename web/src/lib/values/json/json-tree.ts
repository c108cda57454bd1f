// A JSON value as a tree: paths to nested values, their number, and which branches are drawn open.
import type { Json } from '@countersign/shared/json/json';
import { entriesOf, isArray, isObject, isScalar, type JsonObject } from './lossless.ts';

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

/** A tree opens to about this many lines. */
export const OPEN_LINES = 60;
/** The members of a branch that are drawn at once. */
export const MEMBERS = 100;

export const stepsOf = (value: JsonObject | Json[]): [string | number, Json][] =>
  isArray(value) ? value.map((member, at): [number, Json] => [at, member]) : entriesOf(value);

interface Branch {
  readonly path: string;
  readonly value: JsonObject | Json[];
}

/** The paths of the open branches below `path`: shallow ones first, as long as all visible lines fit into the budget. */
export function openBranches(value: JsonObject | Json[], path: string, budget = OPEN_LINES): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = stepsOf(value).slice(0, MEMBERS).length;
  const waiting: Branch[] = branchesOf({ path, value });
  for (let branch = waiting.shift(); branch !== undefined && lines < budget; branch = waiting.shift()) {
    const members = Math.min(stepsOf(branch.value).length, MEMBERS);
    if (lines + members > budget) continue;
    lines += members;
    open.add(branch.path);
    waiting.push(...branchesOf(branch));
  }
  return open;
}

const branchesOf = ({ path, value }: Branch): Branch[] =>
  stepsOf(value)
    .slice(0, MEMBERS)
    .filter((step): step is [string | number, JsonObject | Json[]] => !isScalar(step[1]))
    .map(([step, member]) => ({ path: pathTo(path, step), value: member }));
