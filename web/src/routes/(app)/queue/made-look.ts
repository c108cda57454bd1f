// How a decision of this tab looks in the tray: the icon and colour of the status it led to.
import { ITEM_LOOK, type StatusLook } from '#lib/status.ts';
import type { ReviewAction } from '@countersign/shared/words';
import { OUTCOME } from './desk-model.ts';

export const MADE_LOOK: Record<ReviewAction, StatusLook> = {
  approve: ITEM_LOOK[OUTCOME.approve],
  edit: ITEM_LOOK[OUTCOME.edit],
  reject: ITEM_LOOK[OUTCOME.reject],
  escalate: ITEM_LOOK[OUTCOME.escalate],
  finalize: ITEM_LOOK[OUTCOME.finalize],
  return: ITEM_LOOK[OUTCOME.return],
};
