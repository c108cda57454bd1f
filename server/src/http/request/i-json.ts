// Parses I-JSON (RFC 7493): reports what JSON.parse would accept or change silently, and returns the exact text of
// every member.
import { faultSentence, findJsonFault, type JsonFault } from '@countersign/shared/json/json-fault';
import { closingQuote } from '@countersign/shared/json/split-list';
import { Refusal, type FieldError } from '@countersign/shared/errors';
import { LIMITS } from '@countersign/shared/api/public';

/** A parsed body: its value, and the raw text of each top-level member (I7: stored byte for byte). */
export interface ParsedBody {
  value: unknown;
  raw: Map<string, string>;
}

/** The maximum number of reported errors. */
const MAX_FAULTS = 20;

/** One open object or array on the stack. */
interface Frame {
  pointer: string;
  keys: Set<string> | null;
  index: number;
  key: string;
}

/**
 * Parses a body. Errors: `invalid_json` (not UTF-8 or not JSON), `validation_failed` with a pointer for NUL, lone surrogates,
 * doubled keys, keys over 256 characters, integers beyond 2^53-1, numbers that overflow, depth over 32 and more than 10 000
 * nodes. Depth is counted within a top-level member, so `input` may nest 32 levels. Iterative: deep input cannot overflow
 * the stack.
 */
export function parseBody(bytes: Uint8Array): ParsedBody {
  return parseText(decode(bytes));
}

/** The same for text. `root` is its pointer in the body that was sent. */
export function parseText(text: string, root = '#'): ParsedBody {
  const value = parse(text);
  const scan = new Scan(text);
  scan.run();
  if (scan.faults.length > 0) {
    const detail = scan.faults[0]?.detail ?? '';
    const errors = scan.faults.map((fault) => ({ ...fault, pointer: fault.pointer.replace('#', root) }));
    throw new Refusal('validation_failed', detail, { errors });
  }
  return { value, raw: scan.raw };
}

/** Errors: `invalid_json` when the bytes are not UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_json', `Send the body as UTF-8. Byte ${firstBadByte(bytes)} is invalid.`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(text);
  }
}

/** Reports the position, and what was expected there (IJ1). */
const notJson = (text: string): Refusal => notJsonAt(findJsonFault(text));

/** The same for an error that was already located. */
export function notJsonAt(fault: JsonFault | null): Refusal {
  const where = fault === null ? 'Check quotes, commas and brackets.' : faultSentence(fault);
  return new Refusal('invalid_json', `Send one JSON value. ${where}`);
}

/** Counted from 1. */
function firstBadByte(bytes: Uint8Array): number {
  let [good, bad] = [0, bytes.length];
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (isUtf8Prefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return good + 1;
}

/** A character that is cut off at the end may continue. */
function isUtf8Prefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Walks text that JSON.parse has accepted, so it only finds tokens and does not validate syntax. */
class Scan {
  readonly faults: FieldError[] = [];
  readonly raw = new Map<string, string>();
  readonly #text: string;
  readonly #open: Frame[] = [];
  #at = 0;
  #nodes = 0;
  #memberStart = 0;
  #expectsKey = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    while (this.#at < this.#text.length && this.faults.length < MAX_FAULTS) {
      const character = this.#text[this.#at] as string;
      const step = TOKENS[character];
      if (step) step(this);
      else this.#number();
    }
  }

  /** The current position, as a JSON pointer in a URI fragment. */
  #pointer(): string {
    const frame = this.#open.at(-1);
    if (frame === undefined) return '#';
    return `${frame.pointer}/${frame.keys === null ? frame.index : pointerPart(frame.key)}`;
  }

  #fault(code: string, detail: string): void {
    this.faults.push({ pointer: this.#pointer(), code, detail });
  }

  skip(length: number): void {
    this.#at += length;
  }

  #startValue(): void {
    this.#nodes += 1;
    if (this.#nodes === LIMITS.nodes + 1) this.#fault('too_many_nodes', `At most ${LIMITS.nodes} values in one body.`);
    if (this.#open.length === 1) this.#memberStart = this.#at;
  }

  #endValue(): void {
    const frame = this.#open.at(-1);
    if (this.#open.length === 1 && frame?.keys) this.raw.set(frame.key, this.#text.slice(this.#memberStart, this.#at));
  }

  openContainer(isObject: boolean): void {
    this.#startValue();
    // The body itself is one level; the limit applies to the nesting inside a member.
    if (this.#open.length === LIMITS.depth + 1) {
      this.#fault('too_deep', `At most ${LIMITS.depth} levels of nesting.`);
      // Deeper pointers would only grow.
      this.#at = this.#text.length;
      return;
    }
    this.#open.push({ pointer: this.#pointer(), keys: isObject ? new Set() : null, index: 0, key: '' });
    this.#expectsKey = isObject;
    this.#at += 1;
  }

  closeContainer(): void {
    this.#open.pop();
    this.#at += 1;
    this.#expectsKey = false;
    this.#endValue();
  }

  comma(): void {
    const frame = this.#open.at(-1);
    if (frame) frame.index += 1;
    this.#expectsKey = frame !== undefined && frame.keys !== null;
    this.#at += 1;
  }

  string(): void {
    const end = closingQuote(this.#text, this.#at);
    const isKey = this.#expectsKey;
    if (!isKey) this.#startValue();
    const content = JSON.parse(this.#text.slice(this.#at, end)) as string;
    this.#at = end;
    if (isKey) this.#key(content);
    if (content.includes('\u0000')) this.#fault('nul', 'NUL characters cannot be stored. Remove \\u0000.');
    if (!content.isWellFormed()) this.#fault('lone_surrogate', 'A surrogate without its other half is not valid text.');
    if (!isKey) this.#endValue();
  }

  #key(key: string): void {
    const frame = this.#open.at(-1) as Frame;
    this.#expectsKey = false;
    frame.key = key;
    if (key.length > LIMITS.keyLength) this.#fault('key_too_long', `Keys have at most ${LIMITS.keyLength} characters.`);
    if (frame.keys?.has(key)) this.#fault('duplicate_key', 'This key appears twice in one object.');
    frame.keys?.add(key);
  }

  literal(length: number): void {
    this.#startValue();
    this.#at += length;
    this.#endValue();
  }

  #number(): void {
    this.#startValue();
    NUMBER.lastIndex = this.#at;
    const text = NUMBER.exec(this.#text)?.[0] ?? '';
    const value = Number(text);
    if (!Number.isFinite(value)) this.#fault('number_overflow', 'This number is too large for a double.');
    else if (/^-?\d+$/.test(text) && !Number.isSafeInteger(value)) {
      this.#fault('integer_too_large', 'Integers go up to 2^53-1. Send larger ones as strings.');
    }
    this.#at += Math.max(text.length, 1);
    this.#endValue();
  }
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const whitespace = (scan: Scan) => scan.skip(1);
const TOKENS: Record<string, ((scan: Scan) => void) | undefined> = {
  ' ': whitespace,
  '\n': whitespace,
  '\r': whitespace,
  '\t': whitespace,
  ':': whitespace,
  ',': (scan) => scan.comma(),
  '{': (scan) => scan.openContainer(true),
  '[': (scan) => scan.openContainer(false),
  '}': (scan) => scan.closeContainer(),
  ']': (scan) => scan.closeContainer(),
  '"': (scan) => scan.string(),
  t: (scan) => scan.literal(4),
  f: (scan) => scan.literal(5),
  n: (scan) => scan.literal(4),
};

/**
 * A key in a JSON pointer in a URI fragment, at most as long as a key may be and without characters that a URI cannot
 * contain.
 */
function pointerPart(key: string): string {
  const shown = key.slice(0, LIMITS.keyLength).toWellFormed();
  return encodeURIComponent(shown.replaceAll('~', '~0').replaceAll('/', '~1'));
}
