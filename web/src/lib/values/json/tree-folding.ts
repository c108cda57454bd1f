// Which branches of a tree are open: shallow ones first, as long as all visible lines fit into a budget.
import type { Json } from '@countersign/shared/json/json';
import { pathTo } from './json-paths.ts';
import { entriesOf, isArray, isScalar, type JsonObject } from './lossless.ts';

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

/** The paths of the open branches below `path`. */
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
