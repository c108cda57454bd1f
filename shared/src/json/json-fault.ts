// Finds where a text stops being valid JSON (RFC 8259) and what was expected there; `JSON.parse` often reports neither.

/** Counted from 1; columns in UTF-16 units, as editors count them. */
export interface JsonFault {
  line: number;
  column: number;
  expected: string;
}

/** What may come next. */
type State = 'value' | 'item or ]' | 'name or }' | 'name' | 'colon' | 'after';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

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

class JsonScanner {
  #at = 0;
  #expected: string | null = null;
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #state: State = 'value';

  constructor(text: string) {
    // The same decoding that the service applies to a body.
    this.#text = text;
    if (text.startsWith('\ufeff')) this.#at = 1;
  }

  /** Parses at most this many tokens; returns true at the first error or at the end of valid text. */
  run(steps: number): boolean {
    for (let step = 0; step < steps; step += 1) {
      this.#skipSpace();
      if (this.#at === this.#text.length && this.#state === 'after' && this.#open.length === 0) return true;
      this.#expected = this.#step(this.#text[this.#at] ?? '');
      if (this.#expected !== null) return true;
    }
    return false;
  }

  /** The position of the error and what was expected there; null at the end of valid text. */
  fault(): JsonFault | null {
    return this.#expected === null ? null : { ...positionOf(this.#text, this.#at), expected: this.#expected };
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #step(character: string): string | null {
    if (this.#state === 'after') return this.#after(character);
    if (this.#state === 'colon') return character === ':' ? this.#consume('value') : EXPECTED.colon;
    if (character === '}' && this.#state === 'name or }') return this.#close();
    if (character === ']' && this.#state === 'item or ]') return this.#close();
    const isName = this.#state === 'name' || this.#state === 'name or }';
    if (character === '"') return this.#string() ?? this.#expectNext(isName ? 'colon' : 'after');
    if (isName) return EXPECTED[this.#state];
    if (character === '{' || character === '[') {
      this.#open.push(character);
      return this.#consume(character === '{' ? 'name or }' : 'item or ]');
    }
    return this.#skip(NUMBER) || this.#skip(LITERAL) ? this.#expectNext('after') : EXPECTED[this.#state];
  }

  #after(character: string): string | null {
    const open = this.#open.at(-1);
    if (open === undefined) return EXPECTED.after;
    if (character === ',') return this.#consume(open === '{' ? 'name' : 'value');
    if (character === (open === '{' ? '}' : ']')) return this.#close();
    return open === '{' ? 'a comma or }' : 'a comma or ]';
  }

  #string(): string | null {
    for (this.#at += 1; this.#at < this.#text.length;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) {
        this.#at += 1;
        return null;
      }
      if (code < 0x20) return 'an escape such as \\n instead of a control character';
      if (code !== 0x5c) this.#at += 1;
      else if (!this.#skip(ESCAPE)) return 'an escape such as \\n or \\u00e9';
    }
    return 'a double quote that ends the text';
  }

  #close(): null {
    this.#open.pop();
    return this.#consume('after');
  }

  #consume(state: State): null {
    this.#at += 1;
    return this.#expectNext(state);
  }

  #expectNext(state: State): null {
    this.#state = state;
    return null;
  }

  /** Whether the token was there. */
  #skip(token: RegExp): boolean {
    token.lastIndex = this.#at;
    if (!token.test(this.#text)) return false;
    this.#at = token.lastIndex;
    return true;
  }
}
