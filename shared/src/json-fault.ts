// Where text stops being JSON (RFC 8259), and what would have had to stand there. For people: `JSON.parse` often says neither.

/** Counted from 1; columns in UTF-16 units, as editors count them. */
export interface JsonFault {
  line: number;
  column: number;
  expected: string;
}

/** What may come next. */
type State = 'value' | 'item or ]' | 'name or }' | 'name' | 'colon' | 'after';

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

const EXPECTED: Readonly<Record<State, string>> = {
  value: 'a value',
  'item or ]': 'a value or ]',
  'name or }': 'a name in double quotes or }',
  name: 'a name in double quotes',
  colon: 'a colon',
  after: 'the end of the text',
};

/** The first fault, or null where there is none. Iterative: deep text cannot overflow the stack. */
export function findJsonFault(text: string): JsonFault | null {
  const walk = new Walk(text);
  const found = walk.run();
  return found === null ? null : { ...placeOf(text, walk.at), expected: found };
}

/** As a sentence: `At line 2, column 7 a value was expected.` */
export const faultSentence = ({ line, column, expected }: JsonFault): string =>
  `At line ${line}, column ${column} ${expected} was expected.`;

function placeOf(text: string, at: number): { line: number; column: number } {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}

class Walk {
  at = 0;
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #state: State = 'value';

  constructor(text: string) {
    // As the service does when it decodes a body.
    this.#text = text;
    if (text.startsWith('\ufeff')) this.at = 1;
  }

  /** What was expected where the walk stands now; null at the end of good text. */
  run(): string | null {
    for (;;) {
      this.#skip(SPACE);
      if (this.at === this.#text.length && this.#state === 'after' && this.#open.length === 0) return null;
      const fault = this.#step(this.#text[this.at] ?? '');
      if (fault !== null) return fault;
    }
  }

  #step(character: string): string | null {
    if (this.#state === 'after') return this.#after(character);
    if (this.#state === 'colon') return character === ':' ? this.#go('value') : EXPECTED.colon;
    if (character === '}' && this.#state === 'name or }') return this.#close();
    if (character === ']' && this.#state === 'item or ]') return this.#close();
    const isName = this.#state === 'name' || this.#state === 'name or }';
    if (character === '"') return this.#string() ?? this.#goOn(isName ? 'colon' : 'after');
    if (isName) return EXPECTED[this.#state];
    if (character === '{' || character === '[') {
      this.#open.push(character);
      return this.#go(character === '{' ? 'name or }' : 'item or ]');
    }
    return this.#skip(NUMBER) || this.#skip(WORD) ? this.#goOn('after') : EXPECTED[this.#state];
  }

  #after(character: string): string | null {
    const open = this.#open.at(-1);
    if (open === undefined) return EXPECTED.after;
    if (character === ',') return this.#go(open === '{' ? 'name' : 'value');
    if (character === (open === '{' ? '}' : ']')) return this.#close();
    return open === '{' ? 'a comma or }' : 'a comma or ]';
  }

  #string(): string | null {
    for (this.at += 1; this.at < this.#text.length;) {
      const code = this.#text.charCodeAt(this.at);
      if (code === 0x22) {
        this.at += 1;
        return null;
      }
      if (code < 0x20) return 'an escape such as \\n instead of a control character';
      if (code !== 0x5c) this.at += 1;
      else if (!this.#skip(ESCAPE)) return 'an escape such as \\n or \\u00e9';
    }
    return 'a double quote that ends the text';
  }

  #close(): null {
    this.#open.pop();
    return this.#go('after');
  }

  #go(state: State): null {
    this.at += 1;
    return this.#goOn(state);
  }

  #goOn(state: State): null {
    this.#state = state;
    return null;
  }

  /** Whether it was there. */
  #skip(token: RegExp): boolean {
    token.lastIndex = this.at;
    const length = token.exec(this.#text)?.[0].length ?? 0;
    this.at += length;
    return length > 0;
  }
}
