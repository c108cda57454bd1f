// Counts the arrivals of a sample by confidence and by what routing with other thresholds makes of them (AN23).
import type { ThresholdSample } from '../schemas/thresholds.ts';
import type { Trial } from './what-if.ts';

export const OUTCOMES = ['automatic', 'reviewed', 'escalated', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Arrivals with a confidence from `low` up to `high`, which the last bin includes, by outcome. */
export interface ConfidenceBin extends Record<Outcome, number> {
  low: number;
  high: number;
  n: number;
}

/** Confidences are sent as decimal fractions: 0.58 * 50 must not fall below 29. */
const ROUNDING = 1e-9;

/**
 * `bins` intervals of equal width from 0 to 1, in order.
 * @param escalating places in `sample.flags`
 */
export function confidenceBins(
  sample: Pick<ThresholdSample, 'cells' | 'flag_sets' | 'kinds'>,
  escalating: ReadonlySet<number>,
  { bins, ...trial }: Trial & { bins: number },
): ConfidenceBin[] {
  const flagged = sample.flag_sets.map((flags) => flags.some((flag) => escalating.has(flag)));
  const counted = Array.from({ length: bins }, (_, at) => ({
    low: at / bins,
    high: (at + 1) / bins,
    n: 0,
    automatic: 0,
    reviewed: 0,
    escalated: 0,
    refused: 0,
  }));
  for (const [confidence, flags, kind, arrived] of sample.cells) {
    const bin = counted[Math.min(bins - 1, Math.floor(confidence * bins + ROUNDING))];
    if (bin === undefined) continue;
    const fits = sample.kinds[kind]?.kind !== 'needs_person';
    bin.n += arrived;
    bin[flagged[flags] === true ? 'escalated' : outcomeOf(confidence, fits, trial)] += arrived;
  }
  return counted;
}

const BELOW = { reject: 'refused', queue: 'reviewed', escalate: 'escalated' } as const;

/** RT2 to RT4 and RT8, without flags. */
function outcomeOf(confidence: number, fits: boolean, { auto, review, below }: Trial): Outcome {
  if (confidence >= auto) return fits ? 'automatic' : 'reviewed';
  return confidence >= review ? 'reviewed' : BELOW[below];
}
