// Validates an edit on submission: what blocks it, and what needs a confirmation first. Pure.
import { codePointsOf } from '@countersign/shared/formats/code-points';
import { lengthFault } from '#lib/components/forms/length-limit.ts';
import { editMessages } from '#lib/messages/edit-messages.ts';
import { itemMessages } from '#lib/messages/item-messages.ts';
import { judgeAnswer } from '#lib/form/answer-check.ts';
import { faultSentence, type AnswerFault } from '#lib/form/answer-faults.ts';
import { withPendingFaults, type PendingText } from '#lib/form/pending.ts';
import { withValue } from '#lib/form/paths.ts';
import { breaches, sameDecimals, sameJson, type Breach } from '#lib/values/json/json-compare.ts';
import { keepSpelling } from '#lib/values/json/keep-spelling.ts';
import { JsonFault } from '#lib/values/json/json-fault.ts';
import { isArray, isObject, isScalar, kindOf, numberText, parseJson, sourceOf } from '#lib/values/json/lossless.ts';
import { LIMITS } from '@countersign/shared/limits';
import { RawJson, type Json } from '@countersign/shared/json/json';
import type { EditedItem, EditKind } from './edit-model.ts';

/** The messages about an edit before it is sent: what blocks it, and where its shape changed. */
export interface EditValidation {
  readonly read: Edit;
  readonly fault: string | null;
  readonly shapeBreaches: readonly Breach[];
  /** Where the answer does not satisfy its schema (TS2). */
  readonly answerFaults: readonly AnswerFault[];
  /** What is wrong with the note. */
  readonly noteFault: string | null;
}

/** What is edited, see `EditSession`. */
export interface EditedAnswer {
  readonly item: EditedItem;
  readonly kind: EditKind;
  readonly subject: Json;
  readonly schema: Json | null;
  readonly pending?: readonly PendingText[];
  /** The text before anything is typed, where a person writes the answer. */
  readonly started?: string;
  readonly note?: string;
}

/** Validates the editor's text. A text has no shape to lose, and a schema says which shapes are right. */
export function validateEdit(answer: EditedAnswer, text: string): EditValidation {
  const { subject, schema, item, pending = [], note = '' } = answer;
  const writes = subject === null && item.has_suggestion === false;
  const asText = answer.kind === 'text';
  const read = readEdit({ item, kind: answer.kind, subject: asText && writes ? '' : subject }, text);
  const value = asText ? text : 'value' in read ? read.value : undefined;
  const judged = read.ok || (!writes && read.fault === 'unchanged');
  const faults = schema !== null && judged && value !== undefined ? judgeAnswer(schema, value) : [];
  const answerFaults = withPendingFaults(faults, pending);
  const hasShape = schema === null && !asText && pending.length === 0;
  const shapeBreaches = read.ok && hasShape ? breaches(subject, read.value) : [];
  const tooLong = lengthFault(note.trim(), LIMITS.noteLength);
  const isEmpty = text.trim() === '' || (text === answer.started && answerFaults.length > 0);
  return {
    read,
    fault: writes && isEmpty ? itemMessages.edit.empty : (blockingFault(answerFaults, value) ?? readFault(read, item)),
    shapeBreaches,
    answerFaults,
    noteFault: tooLong === undefined ? null : editMessages.note(tooLong),
  };
}

/** Whether the submission allows to approve the suggestion as it is (LC7). */
const mayApprove = ({ allowed_actions: allowed }: EditedItem): boolean => allowed?.includes('approve') !== false;

/** The first fault of the answer, in words; null where there is none. */
function blockingFault([first, ...others]: readonly AnswerFault[], value: Json | undefined): string | null {
  return first === undefined ? null : editMessages.answerFault(faultSentence(first, value), others.length);
}

/** What else keeps the edit from being sent, in words; null where nothing does. */
function readFault(read: Edit, item: EditedItem): string | null {
  if (read.ok) return null;
  if (read.fault === 'unchanged') return itemMessages.edit[mayApprove(item) ? 'unchanged' : 'unchangedOnly'];
  return read.fault === 'json' ? editMessages.badJson(read.detail) : editMessages.limits[read.limit];
}

/** `value` is what the text says, wherever it can be parsed. */
export type Edit =
  | { ok: true; output: Json; value: Json }
  | { ok: false; fault: 'unchanged'; value: Json }
  | { ok: false; fault: 'json'; detail: string; at: number }
  | { ok: false; fault: 'limit'; limit: LimitFault; value: Json };

/** The service's limits for an item. Its own table is beside schemas that this page need not load. */
export const EDIT_LIMITS = { itemBytes: 256 * 1024, depth: 32, nodes: 10_000, keyLength: 256 } as const;

/** Valid JSON that the service does not accept, by the limit it breaks. */
export type LimitFault = 'bytes' | 'depth' | 'values' | 'keys' | 'integer' | 'number' | 'nul' | 'surrogate';

/**
 * Parses the editor's text: as JSON, unless it is edited as text. An edit must change the output (rule LC). `output` is sent as a
 * whole in the spelling of the suggestion (TS4).
 */
export function readEdit({ item, kind, subject }: Pick<EditedAnswer, 'item' | 'kind' | 'subject'>, text: string): Edit {
  if (kind === 'text') return text === subject ? { ok: false, fault: 'unchanged', value: text } : checked(item, text);
  try {
    const value = parseJson(text);
    return isUnchanged(item, value, subject) ? { ok: false, fault: 'unchanged', value } : checked(item, value);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { ok: false, fault: 'json', detail: error.message, at: error.at };
  }
}

/** As the server says: a suggestion with faults cannot be approved, so even a digit that a double drops is an edit. */
const isUnchanged = ({ suggestion_faults: faults = null }: EditedItem, value: Json, subject: Json): boolean =>
  (faults === null ? sameJson : sameDecimals)(value, subject);

/** The limits are those of the whole output. Of a tool call only the arguments are edited. */
function checked({ kind, suggestion }: EditedItem, value: Json): Edit {
  const whole = kind === 'tool_call' ? withValue(suggestion, ['arguments'], value) : value;
  const spelled = keepSpelling(sourceOf(suggestion), whole);
  const limit = sizeFault(spelled) ?? valueFault(whole);
  if (limit !== null) return { ok: false, fault: 'limit', limit, value };
  // The output is JSON text already, and is inserted into the request unchanged.
  return { ok: true, output: typeof whole === 'string' ? whole : (new RawJson(spelled) as unknown as Json), value };
}

function sizeFault(text: string): LimitFault | null {
  // A character is at most three bytes.
  if (text.length * 3 <= EDIT_LIMITS.itemBytes) return null;
  return new TextEncoder().encode(text).length > EDIT_LIMITS.itemBytes ? 'bytes' : null;
}

/** Fence, action, reason and note are sent with it and count too. */
const FRAME_VALUES = 5;

/** The first part of a value that the service would refuse. */
function valueFault(value: Json): LimitFault | null {
  let values = 0;
  const open: [Json, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [each, depth] = next;
    values += 1;
    if (values > EDIT_LIMITS.nodes - FRAME_VALUES) return 'values';
    if (isScalar(each)) {
      const fault = scalarFault(each);
      if (fault !== null) return fault;
      continue;
    }
    if (depth > EDIT_LIMITS.depth) return 'depth';
    const members = isArray(each) ? each : isObject(each) ? Object.values(each) : [];
    if (isObject(each)) {
      const fault = keysFault(Object.keys(each));
      if (fault !== null) return fault;
    }
    for (const member of members) open.push([member, depth + 1]);
  }
  return null;
}

function keysFault(keys: readonly string[]): LimitFault | null {
  for (const key of keys) {
    if (codePointsOf(key) > EDIT_LIMITS.keyLength) return 'keys';
    const fault = textFault(key);
    if (fault !== null) return fault;
  }
  return null;
}

function scalarFault(value: Json): LimitFault | null {
  if (typeof value === 'string') return textFault(value);
  if (kindOf(value) !== 'number') return null;
  const text = numberText(value);
  const number = Number(text);
  if (!Number.isFinite(number)) return 'number';
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? 'integer' : null;
}

const textFault = (text: string): LimitFault | null =>
  text.includes('\0') ? 'nul' : text.isWellFormed() ? null : 'surrogate';
