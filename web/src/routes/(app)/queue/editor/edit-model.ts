// The initial text of an edit, and which form it gets. Pure.
import { stepsOf, escapePart } from '@countersign/shared/json/json-pointer';
import { inferSchema, MOST_FIELDS } from '#lib/form/infer-schema.ts';
import type { PendingText } from '#lib/form/pending.ts';
import { isNumberText } from '#lib/form/typing.ts';
import { keepLineEnds } from '#lib/format/line-endings.ts';
import {
  isObject,
  isScalar,
  kindOf,
  numberText,
  parseJson,
  printJson,
  spansOf,
  type JsonKind,
} from '#lib/values/json/lossless.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { Json } from '@countersign/shared/json/json';

/** How an answer is edited: as text, field by field, as JSON, or in the form of a schema: the item's, or one inferred from the suggestion. */
export type EditKind = 'text' | 'form' | 'json' | 'schema';

/** What an editor needs of an item. */
export type EditedItem = Pick<ItemDetail, 'id' | 'suggestion'> &
  Partial<Pick<ItemDetail, 'answer_schema' | 'suggestion_faults' | 'kind' | 'has_suggestion' | 'allowed_actions'>>;

/** What is edited: of a tool call its arguments (TC1). Null: there is no suggestion, and a person writes the answer. */
export function subjectOf({ kind, suggestion }: EditedItem): Json {
  return kind === 'tool_call' && isObject(suggestion) ? (suggestion.arguments ?? null) : suggestion;
}

/** The editor of an item. A text whose schema is about its characters alone is edited as text. */
export function editKindOf(item: EditedItem): EditKind {
  const subject = subjectOf(item);
  const schema = item.answer_schema ?? null;
  if (schema === null) return subject === null && item.has_suggestion === false ? 'text' : editKind(subject);
  if (typeof subject === 'string') return wantsText(schema) || saysNothing(schema) ? 'text' : 'schema';
  return subject === null && wantsText(schema) ? 'text' : 'schema';
}

const NOT_PLAIN = ['enum', 'const', 'oneOf', 'anyOf', 'allOf', '$ref', 'format'];
const wantsText = (schema: Json): boolean =>
  isObject(schema) && schema.type === 'string' && !NOT_PLAIN.some((name) => Object.hasOwn(schema, name));

const ABOUT_TEXT = ['minLength', 'maxLength', 'pattern', 'title', 'description', 'examples', 'default', '$schema'];
/** The schema leaves open what kind of value the answer is. */
const saysNothing = (schema: Json): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).every((name) => ABOUT_TEXT.includes(name)));

/** An object or a list of a few fields gets a form; any other value that is not text is edited as JSON. */
export function editKind(suggestion: Json): EditKind {
  if (typeof suggestion === 'string') return 'text';
  if (isFlat(suggestion)) return 'form';
  return inferSchema(suggestion) === null ? 'json' : 'schema';
}

function isFlat(value: Json): boolean {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length > 0 && members.length <= MOST_FIELDS && members.every(isScalar);
}

/** The schema that the form of an answer is made of: its own, or one inferred from the suggestion, which judges nothing. */
export const formSchemaOf = (item: EditedItem): Json | null => item.answer_schema ?? inferSchema(subjectOf(item));

/** A value as people read and copy it: a text as it is, anything else as readable JSON with the original spelling of its numbers. */
export const readable = (value: Json): string => (typeof value === 'string' ? value : printJson(value));

/** The editor's initial text. It is JSON, except for what is edited as text: in a form, a text may become another kind of value. */
export const editable = (subject: Json, kind: EditKind): string =>
  kind === 'text' ? readable(subject) : printJson(subject);

/** One field of the form: its key, the type it preserves, and its content. */
export interface FormField {
  readonly key: string;
  readonly kind: JsonKind;
  /** A text without its quotes; anything else as JSON. */
  readonly typed: string;
  /** Its content when the form was created, and its JSON at that time. */
  readonly was: { readonly typed: string; readonly written: string };
  /** The submitted content, whose line endings are preserved (QU18). */
  readonly before: string;
}

/** The text of an object, split at the values of its members, so that one can change while the rest stays identical. */
export interface Form {
  readonly fields: readonly FormField[];
  /** One more entry than there are fields: the text before, between and after the values. */
  readonly between: readonly string[];
}

/**
 * The form for a text, or null when it is no longer a flat object. `original`: the text as submitted. `pending`: the fields whose
 * text is no number yet.
 */
export function formOf(text: string, original = text, pending: readonly PendingText[] = []): Form | null {
  try {
    const submitted = new Map(spansOf(original).map(({ key, value }) => [key, typedOf(value)]));
    const value = parseJson(text);
    if (!isFlat(value)) return null;
    const spans = spansOf(text);
    const fields = spans.map(({ key, value: member, from, to }) => {
      const typed = typedOf(member);
      const was = { typed, written: text.slice(from, to) };
      const kind = pending.some(({ pointer }) => stepsOf(pointer)[0] === key) ? 'number' : kindOf(member);
      return { key, kind, typed, was, before: submitted.get(key) ?? typed };
    });
    const ends = [0, ...spans.map(({ to }) => to)];
    const starts = [...spans.map(({ from }) => from), text.length];
    return { fields, between: ends.map((end, at) => text.slice(end, starts[at])) };
  } catch {
    return null;
  }
}

/** The field's content for a value. */
const typedOf = (value: Json): string => (typeof value === 'string' ? value : numberText(value));

/** Joins the form to text. An untouched field stays identical, character by character. */
export function textOf(form: Form): string {
  return form.between
    .map((piece, at) => {
      const field = form.fields[at];
      return field === undefined ? piece : piece + writtenOf(field);
    })
    .join('');
}

/** What is no number is written as a text: as it is, `1, "b": 2` would become two members. */
const writtenOf = ({ kind, typed, was }: FormField): string =>
  typed === was.typed
    ? was.written
    : kind === 'string' || !fits({ kind, typed })
      ? JSON.stringify(typed)
      : typed.trim();

/** The fields that are no numbers yet: the answer cannot be sent before they are. */
export const pendingIn = (form: Form): PendingText[] =>
  form.fields
    .filter((field) => !fits(field))
    .map(({ key, typed }) => ({ pointer: `/${escapePart(key)}`, text: typed, expects: 'number' }));

/** The form with one field changed. Unchanged lines of a text retain their endings. */
export const withField = (form: Form, at: number, typed: string): Form => ({
  ...form,
  fields: form.fields.map((field, each) =>
    each === at ? { ...field, typed: field.kind === 'string' ? keepLineEnds(field.before, typed) : typed } : field,
  ),
});

/** Whether the content of a field is a value of its type. */
export const fits = ({ kind, typed }: Pick<FormField, 'kind' | 'typed'>): boolean =>
  kind !== 'number' || isNumberText(typed);
