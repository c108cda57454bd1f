// JSON as it was sent: numbers retain their spelling and members their order, which JSON.parse does not guarantee.
import { RawJson, type Json } from '@countersign/shared/json/json';
import { JsonLexer, type TokenKind } from '@countersign/shared/json/json-lexer';
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

/** The texts of suggestions and schemas as they were sent, for edits that leave the rest of them byte for byte (TS4). */
const sources = new WeakMap<object, string>();
/** Members of an item or a project, which may be one of a list in the answer. */
const EDITED = /^(suggestion|answer_schema)$/;
const EDITED_DEPTH = 3;

/** The text of a suggestion or a schema with its white space and escapes; any other value in a compact spelling. */
export const sourceOf = (value: Json): string => sources.get(value as object) ?? printJson(value, 0);

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
const LITERALS: Readonly<Record<string, Json>> = { true: true, false: false, null: null };
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

/** Reads by recursion, one token ahead. */
class Reader {
  readonly spans: Span[] = [];
  readonly #lexer: JsonLexer;
  /** Where the last token that was taken ends. */
  #end = 0;

  constructor(text: string) {
    this.#lexer = new JsonLexer(text);
    this.#lexer.next();
  }

  read(): Json {
    const value = this.#value(0);
    if (this.#next !== 'end') this.#fail('more');
    return value;
  }

  get #next(): TokenKind {
    return this.#lexer.kind;
  }

  /** Takes the next token. Returns its text. */
  #take(): string {
    const { token, at } = this.#lexer;
    this.#end = at;
    this.#lexer.next();
    return token;
  }

  #value(depth: number): Json {
    if (this.#next === 'string' || this.#next === 'broken') return this.#string('value');
    if (depth > MAX_DEPTH) this.#fail('deep');
    if (this.#next === '{') return this.#object(depth);
    if (this.#next === '[') return this.#array(depth);
    if (this.#next === 'literal') return LITERALS[this.#take()] ?? null;
    if (this.#next === 'number') return numeralOf(this.#take());
    return this.#fail(this.#next === 'end' ? 'empty' : 'value');
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, Json>();
    this.#take();
    while (!this.#ends('}', members.size > 0)) {
      const keyAt = this.#lexer.from;
      const key = this.#string('key');
      if (members.has(key)) this.#fail('twice', keyAt);
      if (this.#next !== ':') this.#fail('colon');
      this.#take();
      const { from } = this.#lexer;
      const value = this.#value(depth + 1);
      members.set(key, value);
      if (depth < EDITED_DEPTH && EDITED.test(key) && !isScalar(value))
        sources.set(value as object, this.#lexer.text.slice(from, this.#end));
      if (depth === 0) this.spans.push({ key, value, from, to: this.#end });
    }
    return objectOf([...members]);
  }

  #array(depth: number): Json[] {
    const members: Json[] = [];
    this.#take();
    while (!this.#ends(']', members.length > 0)) members.push(this.#value(depth + 1));
    return members;
  }

  /** Whether the bracket closes here; before every member but the first it takes the comma. */
  #ends(bracket: '}' | ']', comma: boolean): boolean {
    if (this.#next === bracket) {
      this.#take();
      return true;
    }
    if (this.#next === 'end') this.#fail('open');
    if (!comma) return false;
    if (this.#next !== ',') this.#fail('comma');
    this.#take();
    if (this.#lexer.kind === bracket) this.#fail('trailing');
    return false;
  }

  /** `otherwise`: the error when this is no string at all. */
  #string(otherwise: 'key' | 'value'): string {
    // A JSON text in quotes is a string.
    if (this.#next === 'string') return JSON.parse(this.#take()) as string;
    const { text, at, broken } = this.#lexer;
    if (this.#next !== 'broken' || broken === 'character') return this.#fail(otherwise);
    // A line that ends inside of a string most often lacks the quote.
    return this.#fail(broken === 'unterminated' || text[at] === '\n' ? 'quote' : 'escape');
  }

  #fail(why: JsonFault['why'], at = this.#lexer.from): never {
    throw new JsonFault(why, this.#lexer.text, at);
  }
}

/** The type calls both a number; code that must distinguish them uses `kindOf`. */
const numeralOf = (text: string): Json =>
  String(Number(text)) === text ? Number(text) : (new Numeral(text) as unknown as Json);

/** An object of members whose keys differ, in this order. */
export function objectOf(members: readonly [string, Json][]): JsonObject {
  // Unlike assignment, this makes `__proto__` a member like any other.
  const object = Object.fromEntries<Json>(members);
  const keys = members.map(([key]) => key);
  if (keys.some((key) => INDEX.test(key))) orders.set(object, keys);
  return object;
}
