// Parses I-JSON (RFC 7493): refuses what JSON.parse would change silently, and returns each member's exact text.
import { codePointsOf } from '@countersign/shared/formats/code-points';
import { escapePart, MAX_POINTER } from '@countersign/shared/json/json-pointer';
import { faultSentence, findJsonFault, type JsonFault } from '@countersign/shared/json/json-fault';
import { JsonLexer, type TokenKind } from '@countersign/shared/json/json-lexer';
import { Refusal, type FieldError } from '@countersign/shared/errors';
import { LIMITS } from '@countersign/shared/limits';

/** A parsed body: its value, and the raw text of each top-level member (I7: stored byte for byte). */
export interface ParsedBody {
  value: unknown;
  raw: Map<string, string>;
}

/** The maximum number of reported errors. */
const MAX_FAULTS = 20;

/** A position as a JSON pointer in a URI fragment; `isCut` if it has no room for all of its steps. */
interface Place {
  pointer: string;
  isCut: boolean;
}

/** One open object or array on the stack. */
interface Frame extends Place {
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

/** Walks text that JSON.parse has accepted, so every token is valid where it stands. */
class Scan {
  readonly faults: FieldError[] = [];
  readonly raw = new Map<string, string>();
  readonly #lexer: JsonLexer;
  readonly #open: Frame[] = [];
  #nodes = 0;
  #memberStart = 0;
  #expectsKey = false;
  #isTooDeep = false;

  constructor(text: string) {
    this.#lexer = new JsonLexer(text);
  }

  run(): void {
    while (this.faults.length < MAX_FAULTS && !this.#isTooDeep) {
      const kind = this.#lexer.next();
      if (kind === 'end') return;
      STEPS[kind]?.(this);
    }
  }

  /** The current position, or what contains it. */
  #place(): Place {
    const frame = this.#open.at(-1);
    if (frame === undefined) return { pointer: '#', isCut: false };
    const pointer = `${frame.pointer}/${frame.keys === null ? frame.index : pointerPart(frame.key)}`;
    const isCut = frame.isCut || pointer.length > MAX_POINTER;
    return { pointer: isCut ? frame.pointer : pointer, isCut };
  }

  #fault(code: string, detail: string): void {
    this.faults.push({ pointer: this.#place().pointer, code, detail });
  }

  #startValue(): void {
    this.#nodes += 1;
    if (this.#nodes === LIMITS.nodes + 1) this.#fault('too_many_nodes', `At most ${LIMITS.nodes} values in one body.`);
    if (this.#open.length === 1) this.#memberStart = this.#lexer.from;
  }

  #endValue(): void {
    const frame = this.#open.at(-1);
    if (this.#open.length === 1 && frame?.keys)
      this.raw.set(frame.key, this.#lexer.text.slice(this.#memberStart, this.#lexer.at));
  }

  openContainer(isObject: boolean): void {
    this.#startValue();
    // The body itself is one level; the limit applies to the nesting inside a member.
    if (this.#open.length === LIMITS.depth + 1) {
      this.#fault('too_deep', `At most ${LIMITS.depth} levels of nesting.`);
      // Deeper pointers would only grow.
      this.#isTooDeep = true;
      return;
    }
    this.#open.push({ ...this.#place(), keys: isObject ? new Set() : null, index: 0, key: '' });
    this.#expectsKey = isObject;
  }

  closeContainer(): void {
    this.#open.pop();
    this.#expectsKey = false;
    this.#endValue();
  }

  comma(): void {
    const frame = this.#open.at(-1);
    if (frame) frame.index += 1;
    this.#expectsKey = frame !== undefined && frame.keys !== null;
  }

  string(): void {
    const isKey = this.#expectsKey;
    if (!isKey) this.#startValue();
    const content = JSON.parse(this.#lexer.token) as string;
    if (isKey) this.#key(content);
    if (content.includes('\u0000')) this.#fault('nul', 'NUL characters cannot be stored. Remove \\u0000.');
    if (!content.isWellFormed()) this.#fault('lone_surrogate', 'A surrogate without its other half is not valid text.');
    if (!isKey) this.#endValue();
  }

  #key(key: string): void {
    const frame = this.#open.at(-1) as Frame;
    this.#expectsKey = false;
    frame.key = key;
    if (codePointsOf(key) > LIMITS.keyLength)
      this.#fault('key_too_long', `Keys have at most ${LIMITS.keyLength} characters.`);
    if (frame.keys?.has(key)) this.#fault('duplicate_key', 'This key appears twice in one object.');
    frame.keys?.add(key);
  }

  literal(): void {
    this.#startValue();
    this.#endValue();
  }

  number(): void {
    this.#startValue();
    const text = this.#lexer.token;
    const value = Number(text);
    if (!Number.isFinite(value)) this.#fault('number_overflow', 'This number is too large for a double.');
    else if (/^-?\d+$/.test(text) && !Number.isSafeInteger(value)) {
      this.#fault('integer_too_large', 'Integers go up to 2^53-1. Send larger ones as strings.');
    }
    this.#endValue();
  }
}

const STEPS: Readonly<Partial<Record<TokenKind, (scan: Scan) => void>>> = {
  ',': (scan) => scan.comma(),
  '{': (scan) => scan.openContainer(true),
  '[': (scan) => scan.openContainer(false),
  '}': (scan) => scan.closeContainer(),
  ']': (scan) => scan.closeContainer(),
  string: (scan) => scan.string(),
  literal: (scan) => scan.literal(),
  number: (scan) => scan.number(),
};

/**
 * A key in a JSON pointer in a URI fragment, at most as long as a key may be and without characters that a URI cannot
 * contain.
 */
function pointerPart(key: string): string {
  const shown = Array.from(key.slice(0, 2 * LIMITS.keyLength))
    .slice(0, LIMITS.keyLength)
    .join('')
    .toWellFormed();
  return encodeURIComponent(escapePart(shown));
}
