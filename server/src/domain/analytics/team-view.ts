// Rule FL: the figures of the live team view; moments in ms, durations in seconds, unknown values null.
import { growthOf } from '@countersign/shared/figures';
import type { Drain, Flow } from '@countersign/shared/schemas/team';

/** FL2: nobody is stuck before this many seconds, however fast the others are. */
const STUCK_LEAST = 10 * 60;
/** FL2: how many times the project's median makes a person stuck. */
const STUCK_TIMES = 5;
/** FL3: a member is idle after this many seconds. */
export const IDLE_AFTER = 5 * 60;
/** FL4: fewer decisions than this do not give a rate. */
const FEWEST = 5;
/** FL4: a queue that would take longer than this, a week in seconds, counts as not moving. */
const LONGEST = 7 * 24 * 3600;

/** One decision: whose, when, and when they claimed the item (null: unknown). */
export interface TimedDecision {
  userId: string;
  claimedAt: number | null;
  decidedAt: number;
}

/** FL1: nobody reads an item in less, so that such a decision says nothing about a person's time. In seconds. */
const PLAUSIBLE = 1;

/**
 * FL1: how long each decision took, in seconds: from the claim, or from the same person's previous decision if that was later,
 * because people who hold several items work on one at a time. Decisions without a known claim, and those that a program or a bulk
 * decision made in less than a second, are excluded.
 */
export function timesOf(decisions: readonly TimedDecision[]): { userId: string; seconds: number }[] {
  const before = new Map<string, number>();
  const inOrder = [...decisions].sort((a, b) => a.decidedAt - b.decidedAt);
  return inOrder.flatMap(({ userId, claimedAt, decidedAt }) => {
    const from = Math.max(claimedAt ?? 0, before.get(userId) ?? 0);
    before.set(userId, decidedAt);
    const seconds = (decidedAt - from) / 1000;
    return claimedAt === null || seconds < PLAUSIBLE ? [] : [{ userId, seconds }];
  });
}

/** The median; null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** FL2: a person who holds an item for more seconds than this is stuck. `usual` is the project's median time per decision. */
export const stuckAfter = (usual: number | null): number => Math.max(STUCK_LEAST, STUCK_TIMES * (usual ?? 0));

/** A flow with the length of its window so far, in seconds: windows begin with a minute. */
export interface TimedFlow extends Flow {
  seconds: number;
}

/**
 * FL4: when the queue will be empty at the present rate: the waiting items divided by decisions minus arrivals, in the shortest
 * window with enough decisions. `flows` are sorted from the shortest to the longest.
 */
export function drainOf(waiting: number, flows: readonly TimedFlow[]): Drain {
  if (waiting === 0) return { state: 'empty', seconds: 0, minutes: null };
  const flow = flows.find(({ decided }) => decided >= FEWEST);
  if (flow === undefined) return { state: 'too_few', seconds: null, minutes: null };
  const { minutes, decided, arrived, seconds: length } = flow;
  const growth = growthOf({ enqueued: arrived, decided });
  if (growth > 0) return { state: 'growing', seconds: null, minutes };
  const seconds = (waiting * length) / Math.abs(growth);
  return seconds > LONGEST ? { state: 'standing', seconds: null, minutes } : { state: 'draining', seconds, minutes };
}
