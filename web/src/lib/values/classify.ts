// Decides how a JSON value reads best: as a mark of its type, text, Markdown, a conversation, a table, fields or a tree.
import type { Json } from '@countersign/shared/json/json';
import { entriesOf, isArray, isObject, isScalar, kindOf, numberText, type JsonObject } from './json/lossless.ts';
import { isPictureAddress, mediaOf, type Media } from './media.ts';

export type { JsonObject } from './json/lossless.ts';

/** One turn of a conversation; `calls` are its requested tools, `rest` its other members (names, ids). */
export interface Turn {
  role: string;
  content: Json;
  calls: Json;
  rest: JsonObject | null;
}

/** `field` is an object with one member, read as that member under its name. */
export type Shape =
  | { kind: 'scalar'; text: string; type: 'null' | 'true or false' | 'number' }
  | { kind: 'text'; text: string }
  | { kind: 'moment'; text: string }
  | { kind: 'media'; media: Media }
  | { kind: 'chat'; turns: Turn[] }
  | { kind: 'table'; columns: string[]; rows: JsonObject[] }
  | { kind: 'list'; items: Json[] }
  | { kind: 'field'; name: string; value: Json }
  | { kind: 'fields'; fields: [string, Json][] }
  | { kind: 'tree'; value: JsonObject | Json[] };

const MAX_COLUMNS = 8;
const MAX_FIELDS = 16;
const MAX_ITEMS = 100;
const MAX_SHORT = 60;

/** The shape of a value. Total: every JSON value has one. Inside another value (`nested`) only flat objects are fields. */
export function classify(value: Json, nested = false): Shape {
  if (typeof value === 'string') return ofText(value);
  if (isArray(value)) return ofArray(value);
  if (isObject(value)) return ofObject(value, nested);
  return { kind: 'scalar', text: numberText(value), type: TYPES[kindOf(value) as keyof typeof TYPES] };
}

const TYPES = { null: 'null', boolean: 'true or false', number: 'number' } as const;

/** A time with its zone; without one its local meaning is unknown. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

function ofText(text: string): Shape {
  if (MOMENT.test(text) && !Number.isNaN(Date.parse(text))) return { kind: 'moment', text };
  const media = mediaOf(text);
  const pictured = media !== null && (media.kind === 'inside' || isPictureAddress(media.href));
  return pictured ? { kind: 'media', media } : { kind: 'text', text };
}

/** A value short enough to be placed beside its name. */
export const isShort = (value: Json): boolean =>
  isScalar(value) && !(typeof value === 'string' && (value.length > MAX_SHORT || value.includes('\n')));

function ofObject(value: JsonObject, nested: boolean): Shape {
  const fields = entriesOf(value);
  const [only] = fields;
  const reads = !nested || fields.every(([, member]) => isScalar(member));
  if (only === undefined || fields.length > MAX_FIELDS || !reads) return { kind: 'tree', value };
  return fields.length === 1 ? { kind: 'field', name: only[0], value: only[1] } : { kind: 'fields', fields };
}

function ofArray(value: Json[]): Shape {
  if (value.length > 0 && value.length <= MAX_ITEMS && value.every(isScalar)) return { kind: 'list', items: value };
  const objects = value.filter(isObject);
  if (objects.length !== value.length || objects.length === 0) return { kind: 'tree', value };
  const turns = objects.map(turnOf).filter((turn) => turn !== null);
  if (turns.length === objects.length) return { kind: 'chat', turns };
  return tableOf(objects) ?? { kind: 'tree', value };
}

function turnOf(value: JsonObject): Turn | null {
  const { role, content, tool_calls: calls, ...rest } = value;
  if (typeof role !== 'string' || (content === undefined && calls === undefined)) return null;
  const more = Object.keys(rest).length === 0 ? null : rest;
  return { role, content: content ?? null, calls: calls ?? null, rest: more };
}

/** Objects are uniform when they share most of their few members, and those fit in cells. */
function tableOf(rows: JsonObject[]): Shape | null {
  const columns = [...new Set(rows.flatMap((row) => entriesOf(row).map(([key]) => key)))];
  const cells = rows.flatMap((row) => Object.values(row));
  const alike = cells.length >= (columns.length * rows.length) / 2;
  const fits = rows.length >= 2 && columns.length >= 1 && columns.length <= MAX_COLUMNS;
  return fits && alike && cells.every(isScalar) ? { kind: 'table', columns, rows } : null;
}

/** The kind of value for a heading: `text, 4 lines`, `conversation, 3 turns`, `table, 12 rows`, `4 fields`. */
export function summary(shape: Shape): string {
  const of = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
  if (shape.kind === 'text') return `text, ${of(shape.text.split('\n').length, 'line')}`;
  if (shape.kind === 'chat') return `conversation, ${of(shape.turns.length, 'turn')}`;
  if (shape.kind === 'table') return `table, ${of(shape.rows.length, 'row')}`;
  if (shape.kind === 'fields') return of(shape.fields.length, 'field');
  if (shape.kind === 'list') return `list of ${shape.items.length}`;
  if (shape.kind === 'scalar') return shape.type;
  if (shape.kind === 'moment') return 'moment';
  if (shape.kind === 'media') return 'picture';
  if (shape.kind === 'field') return '';
  return Array.isArray(shape.value) ? `list of ${shape.value.length}` : 'JSON';
}

/** One of these is enough. */
const SURE = [/^ {0,3}(?:```|~~~)/m, /!?\[[^\]\n]{1,200}\]\([^)\s]{1,2000}\)/, /^ {0,3}\|.*\n {0,3}\|[ \t]*:?-{3,}/m];
/** Two of these are needed. */
const LIKELY = [
  /^#{1,6} \S/m,
  /^[-*+] \S.*\n[-*+] \S/m,
  /^\d{1,3}[.)] \S.*\n\d{1,3}[.)] \S/m,
  /(?:^|\s)\*\*[^\s*][^*\n]{0,500}\*\*/,
  /(?:^|\s)`[^`\n]{1,500}`/,
  /^> \S/m,
];
/** Longer texts, and those that could keep a Markdown parser busy, stay as they are. */
const LONGEST = 20_000;
const TIRING = /\S{2000}|^[> ]{60}|^ {80}/m;

/** Whether a text was written as Markdown. Conservative: a text that only resembles it is shown as it is. */
export function isMarkdown(text: string): boolean {
  if (text.length > LONGEST || TIRING.test(text)) return false;
  return SURE.some((sign) => sign.test(text)) || LIKELY.filter((sign) => sign.test(text)).length >= 2;
}
