// How often people approved a suggestion unchanged, by its confidence, from the rollups (AN4).
import type { ConfidenceBin } from '@countersign/shared/api/thresholds';
import { withFigures } from '../../analytics/read-rollups.ts';
import type { Em } from '../../db/orm.ts';
import { CONFIDENCE_BINS, MILLION } from '../../domain/analytics/rollup.ts';
import type { TimeWindow } from './time-window.ts';

/** Bins of 0.05, lowest first, with those of verdicts separate and empty ones omitted. The window is in whole minutes. */
export function confidenceBins(em: Em, { projectId, from, to }: TimeWindow): Promise<ConfidenceBin[]> {
  return withFigures(em, projectId, async (figures) => {
    const [bins = []] = await figures.over([{ low: from.getTime(), high: to.getTime() }], ['bin', 'verdict_bin']);
    return bins
      .filter(({ n }) => n > 0)
      .map(({ measure, key, n, part, total }) => ({
        low: Number(key) / CONFIDENCE_BINS,
        high: (Number(key) + 1) / CONFIDENCE_BINS,
        audit: measure === 'verdict_bin',
        n,
        unchanged: part,
        confidence_sum: total / MILLION,
      }))
      .sort((one, other) => one.low - other.low || Number(one.audit) - Number(other.audit));
  });
}
