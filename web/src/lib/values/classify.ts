// Decides how a JSON value reads best: one table of rules, each with the kind it recognizes; the first that fits wins.
import { startsWithDay } from '#lib/format/calendar-day.ts';
import type { Json } from '@countersign/shared/json/json';
import { citedAnswerOf, type CitedAnswer } from './kinds/cited-answer.ts';
import { codeOf, type Code } from './kinds/code.ts';
import { isHtml, isMarkdown } from './kinds/markup.ts';
import { hasMath } from './kinds/math.ts';
import { toolCallsOf, type ToolCall } from './kinds/tool-call.ts';
import { isUnifiedDiff, unifiedDiffLines } from './kinds/unified-diff.ts';
import { entriesOf, isArray, isObject, isScalar, kindOf, numberText, parseJson, printJson } from './json/lossless.ts';
import type { JsonObject } from './json/lossless.ts';
import { mediaIn, type Media } from './media/media.ts';

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
  | { kind: 'moment'; text: string }
  | { kind: 'media'; media: Media }
  | { kind: 'html'; text: string }
  | { kind: 'diff'; text: string }
  | { kind: 'json'; text: string; value: Json }
  | { kind: 'code'; text: string; code: Code }
  | { kind: 'markdown'; text: string }
  | { kind: 'math'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'call'; calls: ToolCall[]; listed: boolean }
  | { kind: 'cited'; cited: CitedAnswer }
  | { kind: 'chat'; turns: Turn[] }
  | { kind: 'table'; columns: string[]; rows: JsonObject[] }
  | { kind: 'list'; items: Json[] }
  | { kind: 'field'; name: string; value: Json }
  | { kind: 'fields'; fields: [string, Json][] }
  | { kind: 'tree'; value: JsonObject | Json[] };

export type Kind = Shape['kind'];
export type ShapeOf<K extends Kind> = Extract<Shape, { kind: K }>;

interface Place {
  /** Inside another value only flat objects are fields. */
  readonly nested: boolean;
  /** The kind is fixed: the signs of it are not needed, only that the value can be read so. */
  readonly fixed: boolean;
}

/** The file that draws a kind, `here` for the forms that Value.svelte draws itself. */
type Renderer =
  | 'here'
  | 'text'
  | 'tree'
  | 'media'
  | 'mail'
  | 'diff'
  | 'json'
  | 'code'
  | 'call'
  | 'cited'
  | 'chat'
  | 'table';

interface Rule<K extends Kind = Kind> {
  readonly kind: K;
  readonly renderer: Renderer;
  readonly read: (value: Json, place: Place) => ShapeOf<K> | null;
}

const rule = <K extends Kind>(kind: K, renderer: Renderer, read: Rule<K>['read']): Rule => ({ kind, renderer, read });
/** A rule for texts. */
const written = <K extends Kind>(
  kind: K,
  renderer: Renderer,
  read: (text: string, place: Place) => ShapeOf<K> | null,
): Rule => rule(kind, renderer, (value, place) => (typeof value === 'string' ? read(value, place) : null));

const TYPES = { null: 'null', boolean: 'true or false', number: 'number' } as const;

/** All kinds, in the order in which they are tried. The last ones read anything. */
export const RULES: readonly Rule[] = [
  written('moment', 'here', (text) => (isMoment(text) ? { kind: 'moment', text } : null)),
  written('media', 'media', (text) => {
    const media = mediaIn(text);
    return media === null ? null : { kind: 'media', media };
  }),
  written('html', 'mail', (text, { fixed }) => (fixed || isHtml(text) ? { kind: 'html', text } : null)),
  written('diff', 'diff', (text, { fixed }) => (fixed || isUnifiedDiff(text) ? { kind: 'diff', text } : null)),
  written('json', 'json', jsonIn),
  written('code', 'code', codeIn),
  written('markdown', 'text', (text, { fixed }) => (fixed || isMarkdown(text) ? { kind: 'markdown', text } : null)),
  written('math', 'text', (text, { fixed }) => (fixed || hasMath(text) ? { kind: 'math', text } : null)),
  written('text', 'text', (text) => ({ kind: 'text', text })),
  rule('scalar', 'here', scalarOf),
  rule('call', 'call', callOf),
  rule('cited', 'cited', citedOf),
  rule('chat', 'chat', chatOf),
  rule('table', 'table', tableOf),
  rule('list', 'here', listOf),
  rule('field', 'here', fieldOf),
  rule('fields', 'here', fieldsOf),
  rule('tree', 'tree', (value) => (isArray(value) || isObject(value) ? { kind: 'tree', value } : null)),
];

export const KINDS: readonly Kind[] = RULES.map(({ kind }) => kind);

/**
 * The shape of a value. Total: every JSON value has one. `fixed` is the kind a project chose for it; a value that cannot be read
 * so is read by the rules.
 */
export function classify(value: Json, nested = false, fixed?: Kind): Shape {
  const chosen = RULES.find(({ kind }) => kind === fixed)?.read(value, { nested: false, fixed: true });
  if (chosen) return chosen;
  for (const { read } of RULES) {
    const shape = read(value, { nested, fixed: false });
    if (shape !== null) return shape;
  }
  throw new Error('The last rules read any value.');
}

/** A time with its zone; without one its local meaning is unknown. Hour 24 would be shown as the next day. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T(?!24)\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;
const isMoment = (text: string): boolean => MOMENT.test(text) && startsWithDay(text) && !Number.isNaN(Date.parse(text));

/** A longer text is not parsed to find out. */
const LONGEST_JSON = 200_000;

function jsonIn(text: string): ShapeOf<'json'> | null {
  if (text.length > LONGEST_JSON || !/^\s*(?:\{[\s\S]*\}|\[[\s\S]*\])\s*$/.test(text)) return null;
  try {
    return { kind: 'json', text, value: parseJson(text) };
  } catch {
    return null;
  }
}

function codeIn(text: string, { fixed }: Place): ShapeOf<'code'> | null {
  const code = codeOf(text) ?? (fixed ? { language: '', text } : null);
  return code === null ? null : { kind: 'code', text, code };
}

function scalarOf(value: Json): ShapeOf<'scalar'> | null {
  if (!isScalar(value) || typeof value === 'string') return null;
  return { kind: 'scalar', text: numberText(value), type: TYPES[kindOf(value) as keyof typeof TYPES] };
}

function callOf(value: Json): ShapeOf<'call'> | null {
  const calls = toolCallsOf(value);
  return calls === null ? null : { kind: 'call', calls, listed: isArray(value) };
}

function citedOf(value: Json, { fixed }: Place): ShapeOf<'cited'> | null {
  const cited = citedAnswerOf(value, !fixed);
  return cited === null ? null : { kind: 'cited', cited };
}

function chatOf(value: Json): ShapeOf<'chat'> | null {
  if (!isArray(value) || value.length === 0) return null;
  const turns = value.map(turnOf).filter((turn) => turn !== null);
  return turns.length === value.length ? { kind: 'chat', turns } : null;
}

function turnOf(value: Json): Turn | null {
  if (!isObject(value)) return null;
  const { role, content, tool_calls: calls, ...rest } = value;
  if (typeof role !== 'string' || (content === undefined && calls === undefined)) return null;
  const more = Object.keys(rest).length === 0 ? null : rest;
  return { role, content: content ?? null, calls: calls ?? null, rest: more };
}

/** A browser lays out no more columns in time; wider rows are read as a tree. */
const MAX_COLUMNS = 200;

/** Objects are uniform when they share most of their members, and those fit in cells. */
function tableOf(value: Json, { fixed }: Place): ShapeOf<'table'> | null {
  if (!isArray(value) || value.length < (fixed ? 1 : 2) || !value.every(isObject)) return null;
  const columns = [...new Set(value.flatMap((row) => entriesOf(row).map(([key]) => key)))];
  const cells = value.flatMap((row) => Object.values(row));
  const alike = fixed || cells.length >= (columns.length * value.length) / 2;
  const fits = columns.length > 0 && columns.length <= MAX_COLUMNS && alike && (fixed || cells.every(isCell));
  return fits ? { kind: 'table', columns, rows: value } : null;
}

const MAX_SHORT = 60;
/** A single value, or a short list of them. */
const isCell = (value: Json): boolean =>
  isScalar(value) || (isArray(value) && value.every(isScalar) && printJson(value, 0).length <= MAX_SHORT);

function listOf(value: Json): ShapeOf<'list'> | null {
  return isArray(value) && value.length > 0 && value.every(isScalar) ? { kind: 'list', items: value } : null;
}

const MAX_FIELDS = 16;

function fieldOf(value: Json, place: Place): ShapeOf<'field'> | null {
  const [only, ...others] = fieldsOf(value, place)?.fields ?? [];
  return only === undefined || others.length > 0 ? null : { kind: 'field', name: only[0], value: only[1] };
}

function fieldsOf(value: Json, { nested, fixed }: Place): ShapeOf<'fields'> | null {
  if (!isObject(value)) return null;
  const fields = entriesOf(value);
  const reads = fixed || (fields.length <= MAX_FIELDS && (!nested || fields.every(([, member]) => isScalar(member))));
  return fields.length > 0 && reads ? { kind: 'fields', fields } : null;
}

/** A value short enough to be placed beside its name. */
export const isShort = (value: Json): boolean =>
  isScalar(value) && !(typeof value === 'string' && (value.length > MAX_SHORT || value.includes('\n')));

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
const lines = (text: string) => counted(text.split('\n').length, 'line');

/** The kind of a value in words, for the heading above it: `text, 4 lines`, `conversation, 3 turns`, `table, 12 rows`, `4 fields`; empty where the value says it itself. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
    case 'math':
      return `text, ${lines(shape.text)}`;
    case 'markdown':
      return `Markdown, ${lines(shape.text)}`;
    case 'code':
      return `code, ${lines(shape.code.text)}`;
    case 'json':
      return 'JSON in a text';
    case 'html':
      return `HTML, ${lines(shape.text)}`;
    case 'diff':
      return diffSummary(shape.text);
    case 'call':
      return shape.listed ? counted(shape.calls.length, 'tool call') : 'tool call';
    case 'cited':
      return `answer, ${counted(shape.cited.sources.entries.length, 'source')}`;
    case 'chat':
      return `conversation, ${counted(shape.turns.length, 'turn')}`;
    case 'table':
      return `table, ${counted(shape.rows.length, 'row')}`;
    case 'fields':
      return counted(shape.fields.length, 'field');
    case 'list':
      return `list of ${shape.items.length}`;
    case 'scalar':
      return shape.type;
    case 'moment':
      return 'moment';
    case 'media':
      return MEDIA[shape.media.what ?? 'image'];
    case 'field':
      return '';
    case 'tree':
      return Array.isArray(shape.value) ? `list of ${shape.value.length}` : 'JSON';
  }
}

const MEDIA = { image: 'image', audio: 'audio', video: 'video', pdf: 'PDF' } as const;

function diffSummary(text: string): string {
  const all = unifiedDiffLines(text);
  const count = (kind: string) => all.filter((line) => line.kind === kind).length;
  return `diff, ${count('added')} added, ${count('removed')} removed`;
}
