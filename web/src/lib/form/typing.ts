// What a field writes for what a person types: the value, or nothing where the field is empty. Pure.
import { parseJson } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import type { Control, Field } from './fields.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number in its own spelling. Anything else stays a text: nothing typed is lost, and the schema refuses it with its reason. */
function numberOf(typed: string): Json {
  return isNumberText(typed) ? parseJson(typed.trim()) : typed;
}

/** Whether a typed text is a number as JSON spells it; spaces around it do not count. */
export const isNumberText = (typed: string): boolean => NUMBER.test(typed.trim());

/** The value that a control writes for its typed content; undefined removes the member. */
export function writtenOf(field: Pick<Field, 'control' | 'path'>, typed: string): Json | undefined {
  const { control, path } = field;
  const empty = emptyOf(path);
  if (control.kind === 'number') return typed.trim() === '' ? empty : numberOf(typed);
  if (control.kind === 'date') return typed === '' ? empty : dateOf(control, typed);
  return typed;
}

/** An entry of a list cannot be absent. */
const emptyOf = (path: Field['path']): Json | undefined => (typeof path.at(-1) === 'number' ? '' : undefined);

/** The browser leaves out seconds that are zero, which RFC 3339 requires. */
function dateOf({ input, zone }: Extract<Control, { kind: 'date' }>, typed: string): string {
  if (input === 'date') return typed;
  return `${/:\d\d:\d\d/.test(typed) ? typed : `${typed}:00`}${zone}`;
}

/** The entries of pasted lines, without empty ones. */
export function entriesOfLines(text: string, plain: 'string' | 'number'): Json[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.filter((line) => line !== '').map((line) => (plain === 'number' ? numberOf(line) : line));
}
