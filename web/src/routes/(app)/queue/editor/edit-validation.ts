// How an edit is read when it is submitted, and what stops it or has to be asked first. Pure.
import { editMessages } from '#lib/messages/edit-messages.ts';
import { itemMessages } from '#lib/messages/item-messages.ts';
import { breaches, sameJson, type Breach } from '#lib/values/json/json-compare.ts';
import { JsonFault } from '#lib/values/json/json-fault.ts';
import { isArray, isObject, isScalar, kindOf, numberText, parseJson, printJson } from '#lib/values/json/lossless.ts';
import { RawJson, type Json } from '@countersign/shared/json/json';

/** What is to be said of an edit before it goes out: what stops it, in words, and where it lost its shape. */
export interface EditValidation {
  readonly read: Edit;
  readonly fault: string | null;
  readonly shapeBreaches: readonly Breach[];
}

/** Looks at what stands in the editor. A text has no shape to lose. */
export function validateEdit(suggestion: Json, text: string): EditValidation {
  const read = readEdit(suggestion, text);
  const shapeBreaches = read.ok && typeof suggestion !== 'string' ? breaches(suggestion, read.value) : [];
  return { read, fault: faultOf(read), shapeBreaches };
}

function faultOf(read: Edit): string | null {
  if (read.ok) return null;
  if (read.fault === 'unchanged') return itemMessages.edit.unchanged;
  return read.fault === 'json' ? editMessages.badJson(read.detail) : editMessages.limits[read.limit];
}

export type Edit =
  | { ok: true; output: Json; value: Json }
  | { ok: false; fault: 'unchanged' }
  | { ok: false; fault: 'json'; detail: string; at: number }
  | { ok: false; fault: 'limit'; limit: LimitFault };

/** What the service takes of an item. Its own table stands beside schemas that this page has no need to load. */
export const EDIT_LIMITS = { itemBytes: 256 * 1024, depth: 32, nodes: 10_000, keyLength: 256 } as const;

/** What the service does not take, although it is JSON. */
export type LimitFault = 'bytes' | 'depth' | 'values' | 'keys' | 'integer' | 'number' | 'nul' | 'surrogate';

/**
 * Reads what stands in the editor as the kind of value the suggestion is. An edit must change the output (rule LC).
 * `output` goes out with its numbers spelt as they are here; `value` is the same, to be looked at.
 */
export function readEdit(suggestion: Json, text: string): Edit {
  if (typeof suggestion === 'string') {
    return text === suggestion ? { ok: false, fault: 'unchanged' } : checked(text);
  }
  try {
    const value = parseJson(text);
    return sameJson(value, suggestion) ? { ok: false, fault: 'unchanged' } : checked(value);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { ok: false, fault: 'json', detail: error.message, at: error.at };
  }
}

function checked(value: Json): Edit {
  const compact = printJson(value, 0);
  const limit = sizeFault(compact) ?? valueFault(value);
  if (limit !== null) return { ok: false, fault: 'limit', limit };
  // It is text on its way out, and goes into the request as it is.
  return { ok: true, output: typeof value === 'string' ? value : (new RawJson(compact) as unknown as Json), value };
}

function sizeFault(compact: string): LimitFault | null {
  // A character is at most three bytes.
  if (compact.length * 3 <= EDIT_LIMITS.itemBytes) return null;
  return new TextEncoder().encode(compact).length > EDIT_LIMITS.itemBytes ? 'bytes' : null;
}

/** Fence, action, reason and note go out with it and are counted too. */
const FRAME_VALUES = 5;

/** The first thing in a value that the service would refuse. */
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
    if (key.length > EDIT_LIMITS.keyLength) return 'keys';
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
