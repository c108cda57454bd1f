// Rule EW: how long a submission is expected to wait for people, from the last hour and the present queue.
import { median } from '../analytics/team-view.ts';

/** EW1: the waits of this many seconds count. */
export const EXPECTED_WAIT_SPAN = 3600;
/** EW1: fewer decisions than this do not say how long it takes. */
const FEWEST = 5;
/** EW1: a longer expectation, a week in seconds, says as little. */
const LONGEST = 7 * 24 * 3600;

export interface Waits {
  /** How long items waited from their arrival to the decision of a person, in seconds. */
  waits: readonly number[];
  /** The span in which they were decided, in seconds. */
  span: number;
  /** How many items wait now, with the one that is asked about. */
  depth: number;
}

/**
 * EW1: the median wait, at the present depth; null when unknown. The average depth of the span is its waits divided by
 * its length (Little's law): where more items wait than that, the expectation is longer in proportion, and shorter where
 * fewer do. Whole seconds, at least 1.
 */
export function expectedWait({ waits, span, depth }: Waits): number | null {
  const usual = median(waits);
  if (usual === null || waits.length < FEWEST) return null;
  const usualDepth = waits.reduce((sum, wait) => sum + wait, 0) / span;
  const seconds = Math.max(1, Math.round((usual * Math.max(1, depth)) / Math.max(1, usualDepth)));
  return seconds > LONGEST ? null : seconds;
}
