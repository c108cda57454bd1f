// Why an item cannot be approved as it is: nothing was suggested, or it breaks its schema (TS2, TS5). Pure.
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { ACTIONS, insteadOfApproving, isAllowed, type ReviewAction } from '@countersign/shared/review-actions';

/** Apart from the other texts of answers: the list of items needs these. */
const text = {
  empty: 'There is no suggestion to approve.',
  write: 'write the answer',
  invalid: "The suggestion doesn't fit its schema.",
  notAllowed: (label: string) => `The submission doesn't allow “${label}”.`,
};

type Judged = Pick<ItemRow, 'status' | 'invalid' | 'has_suggestion' | 'allowed_actions'>;

/** The reason in words, and what to do instead; null where it can be approved. */
export function approvalBlock(item: Judged): string | null {
  if (item.has_suggestion && !item.invalid) return null;
  return `${item.has_suggestion ? text.invalid : text.empty} ${adviceFor(item)}`;
}

/** What to do with an item whose suggestion cannot be approved. */
export function adviceFor({ status, has_suggestion: has, allowed_actions: allowed }: Judged): string {
  return insteadOfApproving(status === 'escalated' ? status : 'queued', allowed, has ? {} : { edit: text.write });
}

/** Why an action on an item would be refused to every reviewer; null where the item allows it (LC7). */
export function actionBlock(item: Judged, action: ReviewAction): string | null {
  if (!isAllowed(action, item.allowed_actions)) return text.notAllowed(ACTIONS[action].label);
  return action === 'approve' ? approvalBlock(item) : null;
}
