// The form of an edited answer, where it has a schema.
import { AnswerForm } from '#lib/form/answer-form.svelte.ts';
import type { AnswerFault } from '#lib/form/answer-faults.ts';
import { isRefusal } from '#lib/api/client.ts';
import { pointerInEdit } from '../item/answer/suggestion-faults.ts';
import type { EditedItem } from './edit-model.ts';
import type { EditSession } from './edit-session.svelte.ts';

/** Null where the answer is edited in another way. The form writes into the edit, which saves the draft. */
export function answerFormOf(edit: EditSession): AnswerForm | null {
  const { schema } = edit;
  if (edit.kind !== 'schema' || schema === null) return null;
  return new AnswerForm({
    schema,
    original: edit.item.has_suggestion === false ? undefined : edit.subject,
    text: edit.text,
    starts: edit.item.has_suggestion === false,
    onwrite: (text) => {
      edit.text = text;
      edit.changed();
    },
  });
}

const OUTPUT = '#/output';

/** The faults that the server found in an output, as the form knows their places. */
export function refusedFaults(kind: EditedItem['kind'], error: unknown): AnswerFault[] {
  if (!isRefusal(error, ['answer_invalid'])) return [];
  return error.errors
    .filter(({ pointer }) => pointer.startsWith(OUTPUT))
    .map(({ pointer, detail }) => ({
      pointer: pointerInEdit(kind, pointer.slice(OUTPUT.length)),
      message: detail.replace(/^This /, '').replace(/\.$/, ''),
    }));
}
