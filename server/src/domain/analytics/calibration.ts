// Confidences in bins of about as many items each.
import type { ConfidenceBin } from '@countersign/shared/api/thresholds';

/** Fewer than the bins of one width, because each has to hold enough to tell. */
const QUANTILES = 10;

/** Decided items of one confidence. */
export interface AtConfidence {
  confidence: number;
  n: number;
  unchanged: number;
}

/**
 * At most ten bins of about as many items each, from the first to the last confidence that is in them. What has one confidence stays
 * together, so there may be fewer and they may be uneven. `groups` by confidence, each confidence once.
 */
export function quantileBins(groups: readonly AtConfidence[], audit: boolean): ConfidenceBin[] {
  const total = groups.reduce((sum, { n }) => sum + n, 0);
  const bins = new Map<number, ConfidenceBin>();
  let before = 0;
  for (const { confidence, n, unchanged } of groups) {
    // A group is where its middle is: one that is larger than a bin has a bin of its own.
    const place = Math.floor(((before + n / 2) / total) * QUANTILES);
    before += n;
    const bin = bins.get(place) ?? { low: confidence, high: confidence, audit, n: 0, unchanged: 0, confidence_sum: 0 };
    bins.set(place, {
      ...bin,
      high: confidence,
      n: bin.n + n,
      unchanged: bin.unchanged + unchanged,
      confidence_sum: bin.confidence_sum + confidence * n,
    });
  }
  return [...bins.values()];
}
