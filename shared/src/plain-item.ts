// The row members of an item whose submission used no field of typed answers.
import { DEFAULT_ACTIONS } from './review-actions.ts';
import type { ItemRow } from './schemas/parts/item.ts';

/** Rows in events from before these fields existed have none of them. */
export const PLAIN_ITEM: Pick<
  ItemRow,
  'title' | 'kind' | 'allowed_actions' | 'has_suggestion' | 'invalid' | 'deadline'
> = {
  title: null,
  kind: 'answer',
  allowed_actions: [...DEFAULT_ACTIONS],
  has_suggestion: true,
  invalid: false,
  deadline: null,
};
