// Finds where a text stops being valid JSON (RFC 8259) and what was expected there; `JSON.parse` often reports neither.
import { JsonLexer, type Broken, type TokenKind } from './json-lexer.ts';

/** Counted from 1; columns in UTF-16 units, as editors count them. */
export interface JsonFault {
  line: number;
  column: number;
  expected: string;
}

/** What may come next. */
type State = 'value' | 'item or ]' | 'name or }' | 'name' | 'colon' | 'after';

const EXPECTED: Readonly<Record<State, string>> = {
  value: 'a value',
  'item or ]': 'a value or ]',
  'name or }': 'a name in double quotes or }',
  name: 'a name in double quotes',
  colon: 'a colon',
  after: 'the end of the text',
};

/** The first syntax error, or null. Iterative: deep nesting cannot overflow the stack. */
export function findJsonFault(text: string): JsonFault | null {
  const scanner = new JsonScanner(text);
  scanner.run(Infinity);
  return scanner.fault();
}

/** Tokens between two yields to the event loop: a few milliseconds. */
const STEPS = 20_000;

/** The same for text of megabytes: `yieldToEventLoop` is called now and then, so that it does not block others. */
export async function findJsonFaultAsync(
  text: string,
  yieldToEventLoop: () => Promise<void>,
): Promise<JsonFault | null> {
  const scanner = new JsonScanner(text);
  while (!scanner.run(STEPS)) await yieldToEventLoop();
  return scanner.fault();
}

/** As a sentence: `At line 2, column 7 a value was expected.` */
export const faultSentence = ({ line, column, expected }: JsonFault): string =>
  `At line ${line}, column ${column} ${expected} was expected.`;

function positionOf(text: string, at: number): { line: number; column: number } {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}

/** What a string that breaks lacks. Any other broken token is one that cannot come next. */
const IN_STRING: Readonly<Partial<Record<Broken, string>>> = {
  control: 'an escape such as \\n instead of a control character',
  escape: 'an escape such as \\n or \\u00e9',
  unterminated: 'a double quote that ends the text',
};

class JsonScanner {
  readonly #lexer: JsonLexer;
  readonly #open: ('{' | '[')[] = [];
  #state: State = 'value';
  #fault: { at: number; expected: string } | null = null;

  constructor(text: string) {
    this.#lexer = new JsonLexer(text);
  }

  /** Reads at most this many tokens; returns true at the first error or at the end of valid text. */
  run(steps: number): boolean {
    for (let step = 0; step < steps; step += 1) {
      const kind = this.#lexer.next();
      if (kind === 'end' && this.#state === 'after' && this.#open.length === 0) return true;
      const expected = this.#step(kind);
      if (expected === null) continue;
      this.#fault ??= { at: this.#lexer.from, expected };
      return true;
    }
    return false;
  }

  /** The position of the error and what was expected there; null at the end of valid text. */
  fault(): JsonFault | null {
    if (this.#fault === null) return null;
    return { ...positionOf(this.#lexer.text, this.#fault.at), expected: this.#fault.expected };
  }

  /** Takes a token. Returns what was expected in its place, or null. */
  #step(kind: TokenKind): string | null {
    if (this.#state === 'after') return this.#after(kind);
    if (this.#state === 'colon') return kind === ':' ? this.#expect('value') : EXPECTED.colon;
    if (kind === '}' && this.#state === 'name or }') return this.#close();
    if (kind === ']' && this.#state === 'item or ]') return this.#close();
    const isName = this.#state === 'name' || this.#state === 'name or }';
    if (kind === 'string') return this.#expect(isName ? 'colon' : 'after');
    if (kind === 'broken') return this.#brokenString() ?? EXPECTED[this.#state];
    if (isName) return EXPECTED[this.#state];
    if (kind === '{' || kind === '[') {
      this.#open.push(kind);
      return this.#expect(kind === '{' ? 'name or }' : 'item or ]');
    }
    return kind === 'number' || kind === 'literal' ? this.#expect('after') : EXPECTED[this.#state];
  }

  #after(kind: TokenKind): string | null {
    const open = this.#open.at(-1);
    if (open === undefined) return EXPECTED.after;
    if (kind === ',') return this.#expect(open === '{' ? 'name' : 'value');
    if (kind === (open === '{' ? '}' : ']')) return this.#close();
    return open === '{' ? 'a comma or }' : 'a comma or ]';
  }

  /** A string may come here, and this one breaks further on. */
  #brokenString(): string | null {
    const expected = IN_STRING[this.#lexer.broken] ?? null;
    if (expected !== null) this.#fault = { at: this.#lexer.at, expected };
    return expected;
  }

  #close(): null {
    this.#open.pop();
    return this.#expect('after');
  }

  #expect(state: State): null {
    this.#state = state;
    return null;
  }
}
