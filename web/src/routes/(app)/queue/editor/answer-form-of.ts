// The form of an edited answer: that of its schema, or of one inferred from the suggestion.
import { AnswerForm } from '#lib/form/answer-form.svelte.ts';
import type { AnswerFault } from '#lib/form/answer-faults.ts';
import { scaffoldOf } from '#lib/form/scaffold.ts';
import { isRefusal } from '#lib/api/client.ts';
import { printJson } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { pointerInEdit } from '../item/answer/suggestion-faults.ts';
import { formSchemaOf, type EditedItem } from './edit-model.ts';
import type { EditSession } from './edit-session.svelte.ts';

/** Null where the answer is edited in another way. The form writes into the edit, which saves the draft. */
export function answerFormOf(edit: EditSession): AnswerForm | null {
  const schema = edit.kind === 'schema' ? formSchemaOf(edit.item) : null;
  if (schema === null) return null;
  const starts = edit.item.has_suggestion === false;
  if (starts) edit.begin(startedText(schema));
  return new AnswerForm({
    schema,
    inferred: edit.schema === null,
    original: starts ? undefined : edit.subject,
    text: edit.text,
    pending: edit.pending,
    starts,
    onwrite: (text, pending) => edit.fill(text, pending),
  });
}

/** What must be in an answer in any case, as the editor shows it. */
function startedText(schema: Json): string {
  const value = scaffoldOf(schema);
  return value === undefined ? '' : printJson(value);
}

const OUTPUT = '#/output';

/** The faults that the server found in an output, as the form knows their places. */
export function refusedFaults(kind: EditedItem['kind'], error: unknown): AnswerFault[] {
  if (!isRefusal(error, ['answer_invalid'])) return [];
  return error.errors
    .filter(({ pointer }) => pointer.startsWith(OUTPUT))
    .map(({ pointer, detail }) => ({
      pointer: pointerInEdit(kind, decodeURIComponent(pointer.slice(OUTPUT.length))),
      message: detail.replace(/^This /, '').replace(/\.$/, ''),
    }));
}
