// Compares the last week of a cluster with the week before, in words.
import { messages } from '../messages.ts';

const WEEK = 7;
/** With fewer learnings in both weeks, a comparison in words would say more than the numbers do. */
const FEWEST = 10;
/** Up to this ratio either way, two weeks are about the same. */
const SAME = 1.25;

/** One sentence over the days of a trend, oldest first. */
export function weekOnWeek(trend: readonly number[]): string {
  const sum = (days: readonly number[]) => days.reduce((total, n) => total + n, 0);
  const [last, before] = [sum(trend.slice(-WEEK)), sum(trend.slice(-2 * WEEK, -WEEK))];
  const { weeks } = messages.cluster;
  if (last + before === 0) return weeks.none;
  const counts = weeks.counts(last, before);
  if (last + before < FEWEST) return weeks.few(last, before);
  if (before === 0) return weeks.fresh(counts);
  const ratio = last / before;
  if (ratio > 2) return weeks.twice(counts);
  if (ratio < 1 / 2) return weeks.half(counts);
  if (ratio > SAME) return weeks.more(counts);
  return ratio < 1 / SAME ? weeks.less(counts) : weeks.same(counts);
}
