// What an edit starts from, and the form in which a flat object is edited. Pure.
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
import type { Json } from '@countersign/shared/json/json';

/** How a suggestion is edited: as text, field by field, or as JSON. */
export type EditKind = 'text' | 'form' | 'json';

const MAX_FIELDS = 30;

/** A flat object of a few fields is a form; what is no text otherwise is JSON. */
export function editKind(suggestion: Json): EditKind {
  if (typeof suggestion === 'string') return 'text';
  if (!isObject(suggestion)) return 'json';
  const members = Object.values(suggestion);
  return members.length > 0 && members.length <= MAX_FIELDS && members.every(isScalar) ? 'form' : 'json';
}

/** What the editor starts from: a text as it is, anything else as readable JSON with its numbers as they were sent. */
export const editable = (suggestion: Json): string =>
  typeof suggestion === 'string' ? suggestion : printJson(suggestion);

/** One field of the form: its key, the type it keeps, and what stands in it. */
export interface FormField {
  readonly key: string;
  readonly kind: JsonKind;
  /** A text without its quotes; anything else as JSON. */
  readonly typed: string;
  /** What stood in it when the form was made, and how it was written then. */
  readonly was: { readonly typed: string; readonly written: string };
  /** What was submitted in it, whose lines keep their ends (QU18). */
  readonly before: string;
}

/** The text of an object cut at the values of its members, so that one can change and the rest stays as it is. */
export interface Form {
  readonly fields: readonly FormField[];
  /** One more than there are fields: what stands before, between and after the values. */
  readonly between: readonly string[];
}

/** The form for a text, or null when it is no flat object any more. `original`: the text as it was submitted. */
export function formOf(text: string, original = text): Form | null {
  try {
    const submitted = new Map(spansOf(original).map(({ key, value }) => [key, typedOf(value)]));
    const value = parseJson(text);
    if (editKind(value) !== 'form' || !isObject(value)) return null;
    const spans = spansOf(text);
    const fields = spans.map(({ key, value: member, from, to }) => {
      const typed = typedOf(member);
      const was = { typed, written: text.slice(from, to) };
      return { key, kind: kindOf(member), typed, was, before: submitted.get(key) ?? typed };
    });
    const ends = [0, ...spans.map(({ to }) => to)];
    const starts = [...spans.map(({ from }) => from), text.length];
    return { fields, between: ends.map((end, at) => text.slice(end, starts[at])) };
  } catch {
    return null;
  }
}

/** What stands in the field of a value. */
const typedOf = (value: Json): string => (typeof value === 'string' ? value : numberText(value));

/** The text again. Of a field that was not touched every character is what it was. */
export function textOf(form: Form): string {
  return form.between
    .map((piece, at) => {
      const field = form.fields[at];
      return field === undefined ? piece : piece + writtenOf(field);
    })
    .join('');
}

const writtenOf = ({ kind, typed, was }: FormField): string =>
  typed === was.typed ? was.written : kind === 'string' ? JSON.stringify(typed) : typed.trim();

/** The form with one field changed. Lines of a text that stayed end as they did. */
export const withField = (form: Form, at: number, typed: string): Form => ({
  ...form,
  fields: form.fields.map((field, each) =>
    each === at ? { ...field, typed: field.kind === 'string' ? keepLineEnds(field.before, typed) : typed } : field,
  ),
});

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether what stands in a field is a value of its type. */
export const fits = ({ kind, typed }: Pick<FormField, 'kind' | 'typed'>): boolean =>
  kind !== 'number' || NUMBER.test(typed.trim());
