// Why an item cannot be approved as it is: nothing was suggested, or it breaks its schema (TS2, TS5). Pure.
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { ACTIONS, isAllowed, type ReviewAction } from '@countersign/shared/review-actions';

/** Apart from the other texts of answers: the list of items needs these. */
const text = {
  empty: 'There is no suggestion to approve. Write the answer.',
  invalid: "The suggestion doesn't fit its schema. Edit or reject it.",
  notAllowed: (label: string) => `The submission doesn't allow “${label}”.`,
};

type Judged = Pick<ItemRow, 'invalid' | 'has_suggestion' | 'allowed_actions'>;

/** The reason in words; null where it can be approved. */
export function approvalBlock({
  invalid,
  has_suggestion: has,
}: Pick<Judged, 'invalid' | 'has_suggestion'>): string | null {
  if (!has) return text.empty;
  return invalid ? text.invalid : null;
}

/** Why an action on an item would be refused to every reviewer; null where the item allows it (LC7). */
export function actionBlock(item: Judged, action: ReviewAction): string | null {
  if (!isAllowed(action, item.allowed_actions)) return text.notAllowed(ACTIONS[action].label);
  return action === 'approve' ? approvalBlock(item) : null;
}
