// Rule FL: how the floor is read. Pure: every moment is in milliseconds, every length in seconds, and what is not known is null.
import type { Drain, Flow } from '@countersign/shared/api/team';

/** FL2: nobody is stuck before this, however quick the others are, in seconds. */
const STUCK_LEAST = 10 * 60;
/** FL2: how many times the project's median. */
const STUCK_TIMES = 5;
/** FL3, in seconds. */
export const IDLE_AFTER = 5 * 60;
/** FL4: fewer decisions than this are no pace. */
const FEWEST = 5;
/** FL4: what would take longer than a week does not move, in seconds. */
const LONGEST = 7 * 24 * 3600;

/** One decision: whose, when, and when they had claimed the item (null: nobody knows). */
export interface TimedDecision {
  userId: string;
  claimedAt: number | null;
  decidedAt: number;
}

/**
 * FL1: how long each decision took, in seconds: from the claim, or from the same person's decision before it if that was later,
 * because whoever holds several items works on one at a time. What nobody knows the claim of is left out.
 */
export function timesOf(decisions: readonly TimedDecision[]): { userId: string; seconds: number }[] {
  const before = new Map<string, number>();
  const inOrder = [...decisions].sort((a, b) => a.decidedAt - b.decidedAt);
  return inOrder.flatMap(({ userId, claimedAt, decidedAt }) => {
    const from = Math.max(claimedAt ?? 0, before.get(userId) ?? 0);
    before.set(userId, decidedAt);
    return claimedAt === null ? [] : [{ userId, seconds: Math.max(0, decidedAt - from) / 1000 }];
  });
}

/** The median; null of nothing. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** FL2: who holds an item longer than this many seconds is stuck. `usual` is the project's median time per decision. */
export const stuckAfter = (usual: number | null): number => Math.max(STUCK_LEAST, STUCK_TIMES * (usual ?? 0));

/** A flow with how long its window is so far, in seconds: windows begin with a minute. */
export interface TimedFlow extends Flow {
  seconds: number;
}

/**
 * FL4: when the queue is empty if people go on as they did: what waits, by the decisions less the arrivals of the shortest window
 * that has a pace. `flows` from the shortest to the longest.
 */
export function drainOf(waiting: number, flows: readonly TimedFlow[]): Drain {
  if (waiting === 0) return { state: 'empty', seconds: 0, minutes: null };
  const flow = flows.find(({ decided }) => decided >= FEWEST);
  if (flow === undefined) return { state: 'too_few', seconds: null, minutes: null };
  const { minutes, decided, arrived, seconds: length } = flow;
  if (decided < arrived) return { state: 'growing', seconds: null, minutes };
  const seconds = (waiting * length) / (decided - arrived);
  return seconds > LONGEST ? { state: 'standing', seconds: null, minutes } : { state: 'draining', seconds, minutes };
}
