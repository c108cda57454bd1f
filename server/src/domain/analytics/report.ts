// Converts figures of the rollups into the analytics report: shares with intervals, times as percentiles.
import type { Analytics, Times } from '@countersign/shared/schemas/analytics';
import type { ItemStatus, OpenStatus } from '@countersign/shared/enums';
import { waitingOf } from '@countersign/shared/figures';
import { wilson } from '@countersign/shared/statistics/statistics';
import { percentileOf } from './histogram.ts';
import { nameOfKey } from './rollup-names.ts';
import type { Measure } from './rollup.ts';
import { isJudging, isOverride } from '@countersign/shared/review-actions';

/** One sum over a period. */
export interface Figure {
  measure: Measure;
  key: string;
  n: number;
  part: number;
  total: number;
}

const of = (figures: readonly Figure[], measure: Measure): Figure[] =>
  figures.filter((figure) => figure.measure === measure && figure.n !== 0);

export const sumOf = (figures: readonly Figure[], ...measures: Measure[]): number =>
  figures.reduce((sum, { measure, n }) => (measures.includes(measure) ? sum + n : sum), 0);

/** What entered the queue is its growth plus what left it. */
const ENTERED = ['waiting', 'decided', 'verdict', 'expired', 'left'] as const satisfies Measure[];

/** What `enteredQueue` reads. */
export const QUEUE_MEASURES = [...ENTERED, 'withdrawn'] as const satisfies Measure[];

/**
 * How many items came to people in a period (AN1): those that entered the queue and were not withdrawn since. Only in a period
 * that was counted before `left` existed can more seem to have left than came: then none came.
 */
export const enteredQueue = (figures: readonly Figure[]): number =>
  Math.max(0, sumOf(figures, ...ENTERED) - sumOf(figures, 'withdrawn'));

/** How many there are of each key; 0 for keys that do not occur. */
export function countsOf<Key extends string>(
  figures: readonly Figure[],
  measure: Measure,
  keys: readonly Key[],
): Record<Key, number> {
  const found = new Map(of(figures, measure).map(({ key, n }) => [key, n]));
  return Object.fromEntries(keys.map((key) => [key, found.get(key) ?? 0])) as Record<Key, number>;
}

/** Percentiles, in seconds, of a measure whose keys are buckets of milliseconds. */
export function timesOf(figures: readonly Figure[], measure: Measure): Times {
  const histogram = new Map(of(figures, measure).map(({ key, n }) => [Number(key), n]));
  const at = (share: number) => {
    const ms = percentileOf(histogram, share);
    return ms === null ? null : Math.round(ms) / 1000;
  };
  return { n: sumOf(figures, measure), p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** More groups than this are a list to search rather than a chart. */
export const GROUPS = 20;

/**
 * Override rates of the groups with most decisions, and of the others with the
 * highest lower bounds: a rare group may be the bad one.
 */
export function sharesOf(figures: readonly Figure[], measure: 'flag' | 'model' | 'source') {
  const groups = of(figures, measure)
    .map(({ key, n, part }) => ({
      key: nameOfKey(measure, key),
      decided: n,
      overridden: part,
      interval: wilson(part, n),
    }))
    .sort((one, other) => other.decided - one.decided || ((one.key ?? '') < (other.key ?? '') ? -1 : 1));
  const low = ({ interval }: (typeof groups)[number]) => interval?.low ?? 0;
  const rarer = groups.slice(GROUPS / 2).sort((one, other) => low(other) - low(one));
  return [...groups.slice(0, GROUPS / 2), ...rarer.slice(0, GROUPS / 2)];
}

/**
 * AN32: the items that their deadline ended, with the share that they are of all that left the queue: those, and people's
 * decisions. The groups with most of them first, at most `GROUPS`.
 */
export function expiriesOf(figures: readonly Figure[]): Analytics['expired'] {
  const n = sumOf(figures, 'expired');
  const ended = n + sumOf(figures, 'decided');
  return {
    ...{ n, ended, interval: wilson(n, ended) },
    by_flag: expiredGroups(figures, 'flag'),
    by_model: expiredGroups(figures, 'model'),
  };
}

function expiredGroups(figures: readonly Figure[], measure: 'flag' | 'model') {
  const decided = new Map(of(figures, measure).map(({ key, n }) => [key, n]));
  return of(figures, `expired_${measure}`)
    .map(({ key, n }) => {
      const ended = n + (decided.get(key) ?? 0);
      return { key: nameOfKey(measure, key), n, ended, interval: wilson(n, ended) };
    })
    .sort((one, other) => other.n - one.n || ((one.key ?? '') < (other.key ?? '') ? -1 : 1))
    .slice(0, GROUPS);
}

/** How many decisions overrode a suggestion; those on an item without one did not (AN4). */
export const overriddenIn = (figures: readonly Figure[], measure: 'decided' | 'verdict'): number =>
  of(figures, measure).reduce((sum, { key, n, part }) => sum + (isOverride(key) ? n - part : 0), 0);

/** AN34: the arrivals by present status, where those whose audit waits count as what was shipped: approved automatically. */
export function shippedMix(
  mix: Record<ItemStatus, number>,
  inAudit: Record<OpenStatus, number>,
): Record<ItemStatus, number> {
  return {
    ...mix,
    auto_approved: mix.auto_approved + waitingOf(inAudit),
    queued: Math.max(0, mix.queued - inAudit.queued),
    escalated: Math.max(0, mix.escalated - inAudit.escalated),
  };
}

/** WH10: the deliveries whose last end is in the period, each once: sending one again takes its earlier end back. */
export function deliveriesOf(figures: readonly Figure[]): Analytics['webhook']['deliveries'] {
  const outcomes = ['succeeded', 'dead'] as const;
  const [ended, resent] = [countsOf(figures, 'delivery', outcomes), countsOf(figures, 'resent', outcomes)];
  return { succeeded: ended.succeeded - resent.succeeded, dead: ended.dead - resent.dead };
}

/** AU4: the verdicts that judged the suggestion: an end without an answer says nothing about it. */
export function auditsOf(figures: readonly Figure[]): Omit<Analytics['audits'], 'waiting'> {
  const decided = of(figures, 'verdict').reduce((sum, { key, n }) => sum + (isJudging(key) ? n : 0), 0);
  const overridden = overriddenIn(figures, 'verdict');
  return { decided, overridden, interval: wilson(overridden, decided) };
}

/** What each of these people did, sorted by name. */
export function workloadOf(
  figures: readonly Figure[],
  people: readonly { userId: string; name: string; holding: number }[],
): Analytics['workload'] {
  const find = (measure: Measure, userId: string) => of(figures, measure).find(({ key }) => key === userId);
  return people
    .map(({ userId, name, holding }) => {
      const { n: decided = 0, part: overridden = 0 } = find('reviewer', userId) ?? {};
      const [moved, claimed] = [find('mover', userId)?.n ?? 0, find('claimer', userId)?.n ?? 0];
      return {
        user_id: userId,
        name,
        decided,
        overridden,
        interval: wilson(overridden, decided),
        moved,
        claimed,
        holding,
      };
    })
    .sort((one, other) => one.name.localeCompare(other.name) || (one.user_id < other.user_id ? -1 : 1));
}
