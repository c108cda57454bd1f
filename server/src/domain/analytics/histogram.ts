// Durations as counts in fixed buckets: histograms of any two stretches of time add up, which percentiles do not.

/** Buckets in which a duration doubles. */
const PER_OCTAVE = 16;
/** From one end of a bucket to the other: 1.044, so no figure is off by more than 4.5 % of itself. */
export const BUCKET_RATIO = 2 ** (1 / PER_OCTAVE);

/** How many durations lie in each bucket, by its number. */
export type Histogram = ReadonlyMap<number, number>;

/** The bucket of a duration in milliseconds: bucket b holds 2^(b/16) up to 2^((b+1)/16). What took less than 1 ms is in the first, 0. */
export const bucketOf = (ms: number): number => (ms < 1 ? 0 : Math.floor(Math.log2(ms) * PER_OCTAVE));

/**
 * The duration (ms) that `share` (0..1) of the durations is not above, as PostgreSQL's `percentile_cont` has it but for `BUCKET_RATIO`:
 * within a bucket they are taken to lie evenly, by ratio. Null of none.
 */
export function percentileOf(histogram: Histogram, share: number): number | null {
  const buckets = [...histogram].filter(([, n]) => n > 0).sort(([one], [other]) => one - other);
  const n = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (n === 0) return null;
  const place = share * (n - 1);
  const [below, above] = [placed(buckets, Math.floor(place)), placed(buckets, Math.ceil(place))];
  return below + (above - below) * (place - Math.floor(place));
}

/** The duration at a place (from 0) of the sorted ones. */
function placed(buckets: readonly (readonly [number, number])[], place: number): number {
  let before = 0;
  for (const [bucket, n] of buckets) {
    if (place < before + n) return 2 ** ((bucket + (place - before + 0.5) / n) / PER_OCTAVE);
    before += n;
  }
  throw new RangeError(`place ${place} of ${before}`);
}
