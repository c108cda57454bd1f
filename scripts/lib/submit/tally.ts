// Counts the results of the lines of a submitted file, in constant memory.
import { ITEM_STATUSES, type ItemStatus } from '../../../shared/src/enums.ts';
import type { Refused } from './line.ts';
import type { Outcome } from './request.ts';

/** Lines refused for the same reason; `detail` is what was said about the first of them. */
export interface RefusalGroup {
  readonly code: string;
  readonly detail: string;
  count: number;
  /** The first few line numbers. */
  readonly lines: number[];
}

export interface Summary {
  /** Lines that carried something: blank lines are not counted anywhere. */
  lines: number;
  /** By status, the lines that this run brought in. */
  readonly taken: Record<ItemStatus, number>;
  /** Lines that an earlier run had submitted. */
  alreadyThere: number;
  refused: number;
  readonly refusals: RefusalGroup[];
  /** Lines that were read but have no response, because the run ended first. */
  unsent: number;
  retries: number;
  seconds: number;
  /** Why the run ended before the end of the file; null when it did not. */
  stopped: { readonly code: string; readonly detail: string } | null;
}

const MAX_LINES_LISTED = 5;
const MAX_GROUPS = 20;
const OTHER = 'other';

export function emptySummary(): Summary {
  return {
    lines: 0,
    // `fromEntries` loses the key type: they are exactly the statuses.
    taken: Object.fromEntries(ITEM_STATUSES.map((status) => [status, 0])) as Record<ItemStatus, number>,
    alreadyThere: 0,
    refused: 0,
    refusals: [],
    unsent: 0,
    retries: 0,
    seconds: 0,
    stopped: null,
  };
}

/** Adds one line's outcome. The line on which a run stops has no answer either. */
export function count(summary: Summary, line: number, outcome: Outcome): void {
  summary.lines += 1;
  if (outcome.kind === 'refused') countRefusal(summary, line, outcome);
  else if (outcome.kind !== 'taken') summary.unsent += 1;
  else if (outcome.replayed) summary.alreadyThere += 1;
  else summary.taken[outcome.status] += 1;
}

function countRefusal(summary: Summary, line: number, refusal: Refused): void {
  summary.refused += 1;
  const group = groupOf(summary.refusals, refusal);
  group.count += 1;
  if (group.lines.length < MAX_LINES_LISTED) group.lines.push(line);
}

/** Groups refusals with the same message, ignoring the numbers and quotes of their line (SF2). */
function groupOf(groups: RefusalGroup[], refusal: Refused): RefusalGroup {
  const same = groups.find(
    (group) => group.code === refusal.code && withoutDetails(group.detail) === withoutDetails(refusal.detail),
  );
  if (same !== undefined) return same;
  const full = groups.length >= MAX_GROUPS;
  const rest = full ? groups.find((group) => group.code === OTHER) : undefined;
  if (rest !== undefined) return rest;
  const code = full ? OTHER : refusal.code;
  const group = { code, detail: refusal.detail, count: 0, lines: [] };
  groups.push(group);
  return group;
}

const withoutDetails = (detail: string): string => detail.replace(/(['"“]).*?['"”]/g, '…').replace(/\d+/g, 'n');
