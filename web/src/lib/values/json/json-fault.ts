// The error in a JSON text, with its line and column.

/** Apart from the texts of the value renderers, because every page reads JSON. */
const TEXTS = {
  at: (line: number, column: number, what: string) => `Line ${line}, column ${column}: ${what}`,
  why: {
    more: 'unexpected text after the value.',
    deep: 'nested too deeply.',
    key: 'expected a key in double quotes.',
    twice: 'duplicate key.',
    colon: 'expected a colon after the key.',
    open: 'unclosed bracket.',
    comma: 'expected a comma or a closing bracket.',
    trailing: 'trailing comma.',
    quote: 'unterminated string.',
    escape: 'invalid escape sequence or control character in a string.',
    empty: 'missing value.',
    value: 'not a valid value.',
  },
} as const;

export class JsonFault extends Error {
  readonly why: keyof typeof TEXTS.why;
  /** Counted from 0, for an editor. */
  readonly at: number;
  /** Both counted from 1, for people. */
  readonly line: number;
  readonly column: number;

  constructor(why: keyof typeof TEXTS.why, text: string, at: number) {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    super(TEXTS.at(line, column, TEXTS.why[why]));
    this.name = 'JsonFault';
    this.why = why;
    this.at = at;
    this.line = line;
    this.column = column;
  }
}
