// Splits JSON text (RFC 8259) into tokens, in linear time and without allocating: every scanner of JSON text uses it.

/** A bracket, comma or colon; `string`, `number`, or a `literal` (true, false, null); the end; or text that is not a token. */
export type TokenKind = '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'number' | 'literal' | 'end' | 'broken';

/** Why a token is broken: a character that starts none, or a string with a wrong escape, a control character, or no end. */
export type Broken = 'character' | 'escape' | 'control' | 'unterminated';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
/** What a string contains as it is: matched in runs, which is faster than by character. */
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Of each character code below 128: the punctuation it is, or the kind of the token it starts. */
const KINDS: (TokenKind | 'space' | undefined)[] = [];
for (const mark of '{}[],:') KINDS[mark.charCodeAt(0)] = mark as TokenKind;
for (const space of ' \t\n\r') KINDS[space.charCodeAt(0)] = 'space';
for (const digit of '-0123456789') KINDS[digit.charCodeAt(0)] = 'number';
for (const letter of 'tfn') KINDS[letter.charCodeAt(0)] = 'literal';
KINDS[QUOTE] = 'string';

/** A position in JSON text and the token before it. It knows tokens only: whether they may follow each other is the caller's. */
export class JsonLexer {
  readonly text: string;
  kind: TokenKind = 'end';
  /** Where the token starts, and where it ends; for a broken one, where it breaks. Indices in UTF-16 units. */
  from: number;
  at: number;
  /** Why the token is broken. */
  broken: Broken = 'character';

  constructor(text: string, at = 0) {
    this.text = text;
    this.from = at;
    this.at = at;
  }

  /** Moves to the next token. Behind the end, and behind a broken token, it stays. */
  next(): TokenKind {
    const { text } = this;
    if (this.kind === 'broken') return 'broken';
    let at = this.at;
    let kind = KINDS[text.charCodeAt(at)];
    while (kind === 'space') kind = KINDS[text.charCodeAt((at += 1))];
    this.from = at;
    this.at = at;
    if (kind === undefined) return (this.kind = at >= text.length ? 'end' : this.#breakAt(at, 'character'));
    if (kind === 'string') return (this.kind = this.#string());
    if (kind === 'number' || kind === 'literal')
      return (this.kind = this.#match(kind === 'number' ? NUMBER : LITERAL, kind));
    this.at = at + 1;
    return (this.kind = kind);
  }

  /** The text of the token. */
  get token(): string {
    return this.text.slice(this.from, this.at);
  }

  #string(): TokenKind {
    const { text } = this;
    for (let at = this.from + 1; ;) {
      PLAIN.lastIndex = at;
      PLAIN.test(text);
      at = PLAIN.lastIndex;
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return 'string';
      }
      if (code !== BACKSLASH) return this.#breakAt(at, at >= text.length ? 'unterminated' : 'control');
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return this.#breakAt(at, 'escape');
      at = ESCAPE.lastIndex;
    }
  }

  #match(pattern: RegExp, kind: TokenKind): TokenKind {
    pattern.lastIndex = this.from;
    if (!pattern.test(this.text)) return this.#breakAt(this.from, 'character');
    this.at = pattern.lastIndex;
    return kind;
  }

  #breakAt(at: number, why: Broken): 'broken' {
    this.at = at;
    this.broken = why;
    return 'broken';
  }
}
