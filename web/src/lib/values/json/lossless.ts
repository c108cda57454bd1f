// JSON as it was sent: numbers retain their spelling and members their order, which JSON.parse does not guarantee.
import { RawJson, type Json } from '@countersign/shared/json/json';
import { JsonFault } from './json-fault.ts';

export type JsonObject = { [key: string]: Json };
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/**
 * A number that JavaScript would spell in another way, such as `1.0`. It is used like a number, and printed as it was received.
 */
export class Numeral extends RawJson {
  /** For JSON.stringify: exact where the browser can, else the nearest number. */
  toJSON(): unknown {
    return 'rawJSON' in JSON ? (JSON.rawJSON as (text: string) => unknown)(this.text) : Number(this.text);
  }
}

/** The kind of a value. Use it instead of `typeof`, which reports a number with its spelling as an object. */
export function kindOf(value: Json): JsonKind {
  if (value === null) return 'null';
  if (value instanceof RawJson) return 'number';
  if (Array.isArray(value)) return 'array';
  // Only objects are left: JSON has no functions and no symbols.
  return typeof value as JsonKind;
}

export const isArray = (value: Json): value is Json[] => Array.isArray(value);
export const isObject = (value: Json): value is JsonObject => kindOf(value) === 'object';
export const isScalar = (value: Json): boolean => !isArray(value) && !isObject(value);

/** Members in the order they were sent in; JavaScript would put keys that look like numbers first. */
const orders = new WeakMap<object, readonly string[]>();

/** The members of an object in the order they were sent in. */
export function entriesOf(value: JsonObject): [string, Json][] {
  const order = orders.get(value);
  if (order === undefined) return Object.entries(value);
  return order.flatMap((key): [string, Json][] => {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    return member === undefined ? [] : [[key, member]];
  });
}

/** The text of a number as it was sent. */
export const numberText = (value: Json): string => (value instanceof RawJson ? value.text : JSON.stringify(value));

/** JSON text with numbers and order as they were sent. `indent` 0 prints it on one line. */
export function printJson(value: Json, indent = 2): string {
  return printed(value, indent, '\n');
}

function printed(value: Json, indent: number, lineEnd: string): string {
  if (isScalar(value)) return numberText(value);
  const inner = indent === 0 ? '' : lineEnd + ' '.repeat(indent);
  const colon = indent === 0 ? ':' : ': ';
  const [open, close] = isArray(value) ? '[]' : '{}';
  const members = isArray(value)
    ? value.map((member) => printed(member, indent, inner))
    : entriesOf(value as JsonObject).map(
        ([key, member]) => JSON.stringify(key) + colon + printed(member, indent, inner),
      );
  if (members.length === 0) return `${open}${close}`;
  return `${open}${inner}${members.join(indent === 0 ? ',' : `,${inner}`)}${indent === 0 ? '' : lineEnd}${close}`;
}

/** Far deeper than the service accepts, and not deep enough to overflow the stack. */
const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
/** Keys that JavaScript sorts before all others. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** The position of an outermost member's value in the text. */
export interface Span {
  readonly key: string;
  readonly value: Json;
  readonly from: number;
  readonly to: number;
}

/**
 * Parses JSON text. Strict as JSON.parse, and a duplicate key is an error too. Errors: {@link JsonFault} with line and column.
 */
export function parseJson(text: string): Json {
  return new Reader(text).read();
}

/** The members of an object with the positions of their values. Errors: {@link JsonFault}. Empty for anything else. */
export function spansOf(text: string): Span[] {
  const reader = new Reader(text);
  reader.read();
  return reader.spans;
}

class Reader {
  readonly spans: Span[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Json {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail('more');
    return value;
  }

  #value(depth: number): Json {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    if (depth > MAX_DEPTH) this.#fail('deep');
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    const word = WORDS.find(([each]) => this.#text.startsWith(each, this.#at));
    if (word === undefined) return this.#number();
    this.#at += word[0].length;
    return word[1];
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, Json>();
    this.#at += 1;
    while (!this.#ends('}', members.size > 0)) {
      this.#space();
      const keyAt = this.#at;
      if (this.#text[keyAt] !== '"') this.#fail('key');
      const key = this.#string();
      if (members.has(key)) this.#fail('twice', keyAt);
      this.#space();
      if (this.#text[this.#at] !== ':') this.#fail('colon');
      this.#at += 1;
      this.#space();
      const from = this.#at;
      const value = this.#value(depth + 1);
      members.set(key, value);
      if (depth === 0) this.spans.push({ key, value, from, to: this.#at });
    }
    return asObject(members);
  }

  #array(depth: number): Json[] {
    const members: Json[] = [];
    this.#at += 1;
    while (!this.#ends(']', members.length > 0)) members.push(this.#value(depth + 1));
    return members;
  }

  /** Whether the bracket closes here; before every member but the first it consumes the comma. */
  #ends(bracket: string, comma: boolean): boolean {
    this.#space();
    const next = this.#text[this.#at];
    if (next === bracket) {
      this.#at += 1;
      return true;
    }
    if (next === undefined) this.#fail('open');
    if (!comma) return false;
    if (next !== ',') this.#fail('comma');
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === bracket) this.#fail('trailing');
    return false;
  }

  #string(): string {
    const from = this.#at;
    let end = from;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end === -1) this.#fail('quote', from);
    } while (this.#escaped(end));
    this.#at = end + 1;
    try {
      // A JSON text in quotes is a string.
      return JSON.parse(this.#text.slice(from, this.#at)) as string;
    } catch {
      return this.#fail(this.#text.slice(from, end).includes('\n') ? 'quote' : 'escape', from);
    }
  }

  #escaped(quote: number): boolean {
    let slashes = 0;
    while (this.#text[quote - 1 - slashes] === '\\') slashes += 1;
    return slashes % 2 === 1;
  }

  #number(): Json {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text)?.[0];
    if (found === undefined) this.#fail(this.#at >= this.#text.length ? 'empty' : 'value');
    this.#at += found.length;
    // The type calls both a number; code that must distinguish them uses `kindOf`.
    return String(Number(found)) === found ? Number(found) : (new Numeral(found) as unknown as Json);
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #fail(why: JsonFault['why'], at = this.#at): never {
    throw new JsonFault(why, this.#text, at);
  }
}

function asObject(members: ReadonlyMap<string, Json>): JsonObject {
  // Unlike assignment, this makes `__proto__` a member like any other.
  const object = Object.fromEntries<Json>(members);
  const keys = [...members.keys()];
  if (keys.some((key) => INDEX.test(key))) orders.set(object, keys);
  return object;
}
