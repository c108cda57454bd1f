// Rule RT: which status an item starts with. Pure; the first rule that matches applies, and the result names it.
import type { BelowReview, RoutingRule } from '@countersign/shared/enums';
import { foldFlag } from '@countersign/shared/formats/fold-flag';
import { DEFAULT_ACTIONS, isAllowed, type SubmitterAction } from '@countersign/shared/review-actions';

export interface RoutingSettings {
  auto_threshold: number;
  review_threshold: number;
  below_review: BelowReview;
  escalate_flags: readonly string[];
  /** The project is stopped: people decide everything (RT7). */
  stopped: boolean;
}

export interface Routed {
  status: 'auto_approved' | 'queued' | 'escalated' | 'rejected';
  rule: RoutingRule;
  /** The item's flags that are in the project's escalate flags, spelled as submitted. */
  matched_flags: string[];
}

/** RT4: the status of an item below the review threshold, by the project's setting. */
const BELOW = { reject: 'rejected', queue: 'queued', escalate: 'escalated' } as const satisfies Record<
  BelowReview,
  Routed['status']
>;

/** What says whether a suggestion can be approved as it is. */
interface Approvable {
  /** It does not satisfy its schema (TS1). */
  isInvalid: boolean;
  hasSuggestion: boolean;
  /** Null: the default applies (LC7). */
  allowedActions: readonly SubmitterAction[] | null;
}

/** RT8: whether only a person may decide an item: its suggestion cannot be approved as it is. */
export const needsPerson = ({ isInvalid, hasSuggestion, allowedActions }: Approvable): boolean =>
  isInvalid || !hasSuggestion || !isAllowed('approve', allowedActions ?? DEFAULT_ACTIONS);

/** The fields of an item that routing uses. */
interface Submitted {
  /** Compared as submitted, never rounded. */
  confidence: number;
  risk_flags: readonly string[];
  /** See {@link needsPerson}. */
  needs_person?: boolean;
}

/**
 * Routes an item (RT1 to RT4, in this order). What RT2 would approve is queued where only a person may decide (RT8). While the project is stopped, an item that would be decided automatically is queued (RT7).
 */
export function route(item: Submitted, settings: RoutingSettings): Routed {
  const routed = routeBySettings(item, settings);
  const waits = routed.status === 'queued' || routed.status === 'escalated';
  return settings.stopped && !waits ? { status: 'queued', rule: 'RT7', matched_flags: [] } : routed;
}

function routeBySettings(item: Submitted, settings: RoutingSettings): Routed {
  const escalating = new Set(settings.escalate_flags.map(foldFlag));
  const matched = item.risk_flags.filter((flag) => escalating.has(foldFlag(flag)));
  if (matched.length > 0) return { status: 'escalated', rule: 'RT1', matched_flags: matched };
  if (item.confidence >= settings.auto_threshold)
    return item.needs_person
      ? { status: 'queued', rule: 'RT8', matched_flags: [] }
      : { status: 'auto_approved', rule: 'RT2', matched_flags: [] };
  if (item.confidence >= settings.review_threshold) return { status: 'queued', rule: 'RT3', matched_flags: [] };
  return { status: BELOW[settings.below_review], rule: 'RT4', matched_flags: [] };
}

/** RT5: `0 <= review_threshold <= auto_threshold <= 1`; null when it holds, otherwise one sentence that says what to change. */
export function thresholdFault(settings: { auto_threshold: number; review_threshold: number }): string | null {
  const { auto_threshold: auto, review_threshold: review } = settings;
  if (!(auto >= 0 && auto <= 1) || !(review >= 0 && review <= 1)) return 'Both thresholds lie between 0 and 1.';
  if (review > auto) return 'The review threshold may not be above the automatic threshold.';
  return null;
}
