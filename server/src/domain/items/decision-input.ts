// What a person's decision must and may contain, by its action and its item (LC7, TS2, TS5). Pure.
import { Refusal } from '@countersign/shared/errors';
import { exactJson, valueKey } from '@countersign/shared/json-schema/exact-numbers';
import {
  ACTIONS,
  insteadOfApproving,
  isAllowed,
  possibleActions,
  type ReviewAction,
} from '@countersign/shared/review-actions';
import { isOpen, type Move, sameJson } from './item.ts';
import { allowedActionsOf, type RowItem } from './item-row.ts';

/** What the rules need of an item; the database row has it too. `suggestion` is JSON text. */
type AnsweredItem = Pick<RowItem, 'status' | 'allowedActions' | 'hasSuggestion' | 'suggestionFaults'> & {
  suggestion: string;
};

/** What a person decides. */
export interface Answer {
  action: ReviewAction;
  /** The edited output: its value, and its text as received. */
  output: { value: unknown; raw: string } | null;
  reason: string | null;
  note: string | null;
  /** The answer in words, for `respond` alone. */
  response?: string | null;
}

/** Why this is not a decision on the item: `validation_failed` or `unchanged_edit`; null where it is one. */
export const inputRefusal = (item: AnsweredItem, input: Answer, move: Move): Refusal | null =>
  actionRefusal(item, input.action) ??
  reasonRefusal(item, input, move) ??
  outputRefusal(item, input) ??
  responseRefusal(input);

/** LC7, TS5: what the submission excludes, and what has nothing to be done to. */
function actionRefusal(item: AnsweredItem, action: ReviewAction): Refusal | null {
  const allowed = allowedActionsOf(item);
  if (!isAllowed(action, allowed)) {
    const possible = possibleActions(isOpen(item.status) ? item.status : null, allowed);
    const others = possible.map((one) => `“${one}”`).join(', ');
    const instead = others === '' ? ', nor any other action of a revision.' : `. Possible: ${others}.`;
    return notAllowed('action', `The submission doesn’t allow “${action}”${instead}`);
  }
  return action === 'approve' && !item.hasSuggestion
    ? notAllowed('action', `There is no suggestion to approve. ${adviceFor(item)}`)
    : null;
}

/** What to do with an item whose suggestion cannot be approved. A decided one is being revised. */
export const adviceFor = (item: AnsweredItem): string =>
  insteadOfApproving(
    isOpen(item.status) ? item.status : null,
    allowedActionsOf(item),
    item.hasSuggestion ? {} : { edit: 'write the answer as an edit' },
  );

function reasonRefusal(item: AnsweredItem, input: Answer, move: Move): Refusal | null {
  return needsReason(item, input, move) && input.reason === null
    ? missing('reason', 'A reason is required: choose one or enter your own.')
    : null;
}

/** TS5: an answer that is written where there was none corrects nothing. */
const needsReason = (item: AnsweredItem, { action }: Answer, move: Move): boolean =>
  move.reason === 'required' && !(ACTIONS[action].requires === 'output' && !item.hasSuggestion);

function outputRefusal(item: AnsweredItem, { action, output }: Answer): Refusal | null {
  if (ACTIONS[action].requires !== 'output')
    return output === null ? null : notAllowed('output', 'Only an edit may have an output.');
  if (output === null) return missing('output', 'Send the edited answer as output.');
  return isUnchanged(item, output) ? unchangedRefusal(item) : null;
}

function responseRefusal({ action, response = null }: Answer): Refusal | null {
  const isRequired = ACTIONS[action].requires === 'response';
  if (isRequired && response === null) return missing('response', 'Write the answer in words as response.');
  if (!isRequired && response !== null) return notAllowed('response', 'Only “respond” may have a response.');
  return null;
}

/**
 * Numbers are compared as doubles, except where a suggestion does not satisfy its schema: it cannot be approved, so even a
 * digit that a double drops must count as an edit.
 */
const isUnchanged = (item: AnsweredItem, output: NonNullable<Answer['output']>): boolean =>
  item.suggestionFaults ? sameAnswer(output.raw, item.suggestion) : sameJson(output.value, JSON.parse(item.suggestion));

/** Whether two answers, which are JSON text, are equal as schemas see them: numbers as decimals. */
export const sameAnswer = (one: string, other: string): boolean => keyOf(one) === keyOf(other);
const keyOf = (text: string): string => valueKey(exactJson(text), () => {});

/** A suggestion that does not satisfy its schema cannot be approved as it is (TS2). */
function unchangedRefusal(item: AnsweredItem): Refusal {
  if (!item.hasSuggestion)
    return new Refusal('unchanged_edit', 'The answer is null, as the suggestion was. Write an answer.');
  if (item.suggestionFaults)
    return new Refusal(
      'unchanged_edit',
      `No changes, and the suggestion does not satisfy its schema. ${adviceFor(item)}`,
    );
  const mayApprove = isAllowed('approve', allowedActionsOf(item));
  return new Refusal('unchanged_edit', `No changes. ${mayApprove ? 'Edit it or approve it as is.' : 'Edit it first.'}`);
}

export function notAllowed(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'not_allowed', detail }] });
}

function missing(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'required', detail }] });
}
