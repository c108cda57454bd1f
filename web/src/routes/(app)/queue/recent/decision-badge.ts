// The badge of a recent decision: icon and colour of the status it led to.
import { ITEM_STYLE, type StatusStyle } from '#lib/status.ts';
import type { ReviewAction } from '@countersign/shared/enums';
import { OUTCOME } from '../session/review-rules.ts';

export const DECISION_BADGE: Record<ReviewAction, StatusStyle> = {
  approve: ITEM_STYLE[OUTCOME.approve],
  edit: ITEM_STYLE[OUTCOME.edit],
  reject: ITEM_STYLE[OUTCOME.reject],
  escalate: ITEM_STYLE[OUTCOME.escalate],
  finalize: ITEM_STYLE[OUTCOME.finalize],
  return: ITEM_STYLE[OUTCOME.return],
};
