// The form of an edited answer, where it has a schema.
import { AnswerForm } from '#lib/form/answer-form.svelte.ts';
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
