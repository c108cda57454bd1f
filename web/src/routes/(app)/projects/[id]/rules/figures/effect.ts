// What the rules of the form would have done with the items of the sample: the what-if, for the rules page.
import type { BelowReview } from '@countersign/shared/enums';
import { foldFlag } from '@countersign/shared/formats/fold-flag';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';
import { confidenceBins, type ConfidenceBin } from '@countersign/shared/statistics/confidence-bins';
import type { Estimate } from '@countersign/shared/statistics/statistics';
import { hoursADay, predict, replay, type Trial } from '@countersign/shared/statistics/what-if';
import { routedShares, type RoutedShares } from '../../../../analytics/thresholds/routed-shares.ts';
import { parseNumber, type Draft } from '../../settings/settings-draft.ts';

/** The rules that decide where an item goes, and how many are audited. */
export interface RoutingRules {
  auto: number;
  review: number;
  below: BelowReview;
  flags: readonly string[];
  auditRate: number;
}

export interface Effect {
  arrived: number;
  automatic: number;
  people: number;
  /** Of `people`. */
  escalated: number;
  refused: number;
  /** The parts of what arrived, in percent. */
  shares: RoutedShares;
  /** Null where nobody reviewed items of this kind. */
  wrong: Estimate | null;
  /** Auto-approved, of a kind that nobody reviewed. */
  unreviewed: number;
  audited: number;
  /** Null while no pace is known. */
  hours: number | null;
}

/** The rules in a form; those of `known` while a number is invalid (RT5). */
export function rulesOf(draft: Draft, known: RoutingRules): RoutingRules {
  const [auto, review, rate] = [draft.auto_threshold, draft.review_threshold, draft.audit_rate].map(parseNumber);
  const ordered = auto !== undefined && review !== undefined && review >= 0 && review <= auto && auto <= 1;
  const isRate = rate !== undefined && rate >= 0 && rate <= 1;
  return {
    auto: ordered ? auto : known.auto,
    review: ordered ? review : known.review,
    below: draft.below_review,
    flags: draft.escalate_flags,
    auditRate: isRate ? rate : known.auditRate,
  };
}

/** The saved rules that a sample was read with. */
export const savedRules = ({ settings }: Pick<ThresholdSample, 'settings'>): RoutingRules => ({
  auto: settings.auto_threshold,
  review: settings.review_threshold,
  below: settings.below_review,
  flags: settings.escalate_flags,
  auditRate: settings.audit_rate,
});

/** The places of these flags in the sample, regardless of spelling (RT1). */
function placesOf({ flags }: Pick<ThresholdSample, 'flags'>, chosen: readonly string[]): Set<number> {
  const folded = new Set(chosen.map(foldFlag));
  return new Set(flags.flatMap(({ flag }, place) => (folded.has(foldFlag(flag)) ? [place] : [])));
}

const trialOf = ({ auto, review, below }: RoutingRules): Trial => ({ auto, review, below });

/** The arrivals by confidence and outcome, in `bins` intervals of equal width. */
export const binsOf = (sample: ThresholdSample, rules: RoutingRules, bins: number): ConfidenceBin[] =>
  confidenceBins(sample, placesOf(sample, rules.flags), { ...trialOf(rules), bins });

/** Null without arrivals. */
export function effectOf(sample: ThresholdSample, rules: RoutingRules): Effect | null {
  const predicted = predict(replay(sample, placesOf(sample, rules.flags)), trialOf(rules));
  if (predicted === null) return null;
  const [all] = binsOf(sample, rules, 1);
  const settings = { ...sample.settings, audit_rate: rules.auditRate };
  return {
    arrived: predicted.arrived,
    automatic: predicted.automatic.value,
    people: predicted.people.value,
    escalated: all?.escalated ?? 0,
    refused: predicted.refused.value,
    shares: routedShares(predicted),
    wrong: predicted.wrong,
    unreviewed: predicted.unreviewed,
    audited: Math.round(predicted.automatic.value * rules.auditRate),
    hours: hoursADay({ ...sample, settings }, predicted),
  };
}
