// Divides confidences into bins of about equally many items.
import type { ConfidenceBin } from '@countersign/shared/schemas/thresholds';

/** Fewer than the bins of equal width, because each has to hold enough items to be significant. */
const QUANTILES = 10;

/** Decided items of one confidence. */
export interface AtConfidence {
  confidence: number;
  n: number;
  unchanged: number;
}

/**
 * At most ten bins of about equally many items, each from its first to its last confidence. Items of one confidence stay
 * together, so there may be fewer bins and they may be uneven. `groups` are sorted by confidence, each confidence once.
 */
export function quantileBins(groups: readonly AtConfidence[], audit: boolean): ConfidenceBin[] {
  const total = groups.reduce((sum, { n }) => sum + n, 0);
  const bins = new Map<number, ConfidenceBin>();
  let before = 0;
  for (const { confidence, n, unchanged } of groups) {
    // The middle of a group decides its bin: a group that is larger than a bin gets a bin of its own.
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
