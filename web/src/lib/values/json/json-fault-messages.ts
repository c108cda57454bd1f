// Texts of an error in a JSON text: apart from those of the value renderers, because every page reads JSON.

export const jsonFaultMessages = {
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
