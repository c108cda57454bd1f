// Turns one line of a JSONL file into a request: the line's own text, the project's id and an idempotency key.
import { createHash } from 'node:crypto';
import { LIMITS } from '../../../shared/src/limits.ts';
import { findJsonFault } from '../../../shared/src/json/json-fault.ts';
import type { Line } from '../files/read-lines.ts';

/** A line that goes out: `body` is the line's text with the project's id spliced in, `key` its Idempotency-Key. */
export interface Ready {
  readonly kind: 'ready';
  readonly body: string;
  readonly key: string;
}

/** Counts texts: answers how many equal ones came before. One for each run. */
export type Earlier = (text: string) => number;

/** A line that cannot be taken; `code` as the server names it where it knows the fault, `detail` one sentence. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: string;
  readonly detail: string;
}

export type Prepared = Ready | Refused | { readonly kind: 'blank' };

/** How many bytes of a line are needed: more than the largest item, so that a cut line is always too large. */
export const LINE_BYTES = LIMITS.itemBytes + 16;

const BYTE_ORDER_MARK = '\uFEFF';
/** What JSON calls white space; `trim()` would also take characters that make the line invalid. */
const OUTER_SPACE = /^[ \t\r]+|[ \t\r]+$/g;

/**
 * Prepares a line for the project (id in lower case). The line's JSON text is never rewritten: number spelling and key order survive.
 * The key depends on the project, the text and how many equal lines came before (SF1): lines that are corrected, removed, added or moved
 * leave the keys of the others as they were.
 */
export function prepareLine(line: Line, projectId: string, earlier: Earlier): Prepared {
  const read = readObject(line);
  if (read.kind !== 'object') return read;
  const { text } = read;
  const body = withProject(text, read.object, projectId);
  if (body === null) return refused('project_mismatch', 'The line carries the project_id of another project.');
  const size = Buffer.byteLength(body);
  if (size > LIMITS.itemBytes) return tooLarge(size);
  return { kind: 'ready', body, key: idempotencyKey(text, earlier(text), projectId) };
}

/** The text of a line that holds one JSON object, as it stands. */
export function readObject(line: Line): { kind: 'object'; text: string; object: object } | Exclude<Prepared, Ready> {
  if (line.length > LINE_BYTES) return tooLarge(line.length);
  const text = decode(line);
  if (text === null) return refused('invalid_json', 'The line is not UTF-8 text.');
  if (text === '') return { kind: 'blank' };
  const object = parseObject(text);
  if (typeof object === 'string') return refused('invalid_json', object);
  return { kind: 'object', text, object };
}

function decode(line: Line): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line.bytes);
    // At the start of a file, or of one that was joined to another or sorted: no JSON begins so.
    const unmarked = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    return unmarked.replace(OUTER_SPACE, '');
  } catch {
    return null;
  }
}

/** The parsed object, or a sentence on why the line is not an object. Parsed to look at, never to be written again. */
function parseObject(text: string): object | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    return 'The line is JSON, but not an object.';
  } catch {
    const fault = findJsonFault(text);
    return fault === null ? 'The line is not JSON.' : `At column ${fault.column} ${fault.expected} was expected.`;
  }
}

/** The text with `project_id` in front, or as it stands where it carries the same id already; null for another project's. */
function withProject(text: string, item: object, projectId: string): string | null {
  if (Object.hasOwn(item, 'project_id') && 'project_id' in item) {
    const own = item.project_id;
    return typeof own === 'string' && own.toLowerCase() === projectId ? text : null;
  }
  const comma = Object.keys(item).length > 0 ? ',' : '';
  return `{"project_id":"${projectId}"${comma}${text.slice(1)}`;
}

function idempotencyKey(text: string, earlier: number, projectId: string): string {
  return createHash('sha256').update(`${projectId}\n${earlier} before\n${text}`).digest('hex');
}

/**
 * Counts by 48 bits of a hash, which takes some 40 bytes for each text. Two texts that share them would count as one, and still have
 * different keys.
 */
export function countEarlier(): Earlier {
  const seen = new Map<number, number>();
  return (text) => {
    const short = createHash('sha256').update(text).digest().readUIntBE(0, 6);
    const before = seen.get(short) ?? 0;
    seen.set(short, before + 1);
    return before;
  };
}

function tooLarge(bytes: number): Refused {
  const limit = LIMITS.itemBytes / 1024;
  return refused('payload_too_large', `The item has ${Math.ceil(bytes / 1024)} KiB; the limit is ${limit} KiB.`);
}

function refused(code: string, detail: string): Refused {
  return { kind: 'refused', code, detail };
}
