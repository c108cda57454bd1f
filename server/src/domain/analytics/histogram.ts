// Durations as counts in fixed buckets: histograms of two periods can be added, percentiles cannot.

/** The number of buckets in which a duration doubles. */
const PER_OCTAVE = 16;
/** The ratio of a bucket's ends: 1.044, so the error of a figure is at most 4.5 %. */
export const BUCKET_RATIO = 2 ** (1 / PER_OCTAVE);

/** How many durations each bucket holds, by its number. */
export type Histogram = ReadonlyMap<number, number>;

/** The bucket of a duration in milliseconds: bucket b holds 2^(b/16) up to 2^((b+1)/16). Durations below 1 ms are in bucket 0. */
export const bucketOf = (ms: number): number => (ms < 1 ? 0 : Math.floor(Math.log2(ms) * PER_OCTAVE));

/**
 * The duration (ms) at the percentile `share` (0..1), as PostgreSQL's `percentile_cont` computes it but for `BUCKET_RATIO`: the
 * durations in a bucket are assumed to be evenly distributed on a logarithmic scale. Null when the histogram is empty.
 */
export function percentileOf(histogram: Histogram, share: number): number | null {
  const buckets = [...histogram].filter(([, n]) => n > 0).sort(([one], [other]) => one - other);
  const n = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (n === 0) return null;
  const place = share * (n - 1);
  const [below, above] = [placed(buckets, Math.floor(place)), placed(buckets, Math.ceil(place))];
  return below + (above - below) * (place - Math.floor(place));
}

/** The duration at a rank (from 0) of the sorted durations. */
function placed(buckets: readonly (readonly [number, number])[], place: number): number {
  let before = 0;
  for (const [bucket, n] of buckets) {
    if (place < before + n) return 2 ** ((bucket + (place - before + 0.5) / n) / PER_OCTAVE);
    before += n;
  }
  throw new RangeError(`place ${place} of ${before}`);
}
