// Tokens of JSON text: valid, broken, and together always the whole text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonLexer } from './json-lexer.ts';

/** The tokens up to the end or the first broken one, each as `kind text`. */
function tokensOf(text: string): string[] {
  const lexer = new JsonLexer(text);
  const tokens: string[] = [];
  while (lexer.next() !== 'end' && lexer.kind !== 'broken') tokens.push(`${lexer.kind} ${lexer.token}`);
  return lexer.kind === 'end' ? tokens : [...tokens, `broken ${lexer.broken} at ${lexer.at}`];
}

describe('JsonLexer', () => {
  it.each<[string, string[]]>([
    ['', []],
    [' \t\r\n', []],
    ['[1,-2.5e+3]', ['[ [', 'number 1', ', ,', 'number -2.5e+3', '] ]']],
    ['{"a" : true}', ['{ {', 'string "a"', ': :', 'literal true', '} }']],
    ['"\\u00e9\\"]" null', ['string "\\u00e9\\"]"', 'literal null']],
    ['01', ['number 0', 'number 1']],
    ['tru', ['broken character at 0']],
    ['1 -', ['number 1', 'broken character at 2']],
    ['é', ['broken character at 0']],
    ['\u00a01', ['broken character at 0']],
    ['"a', ['broken unterminated at 2']],
    ['"\\', ['broken escape at 1']],
    ['"a\\x"', ['broken escape at 2']],
    ['"a\nb"', ['broken control at 2']],
  ])('splits %j into tokens', (text, tokens) => expect(tokensOf(text)).toEqual(tokens));

  it('stays behind the end and behind a broken token', () => {
    const ended = new JsonLexer('1');
    expect([ended.next(), ended.next(), ended.next()]).toEqual(['number', 'end', 'end']);
    const broken = new JsonLexer('x 1');
    expect([broken.next(), broken.next()]).toEqual(['broken', 'broken']);
  });

  it('by property: joined, the tokens of JSON text are the text without its spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, spaces) => {
        const lexer = new JsonLexer(JSON.stringify(value, null, spaces));
        let joined = '';
        while (lexer.next() !== 'end') joined += lexer.token;
        expect(joined).toBe(JSON.stringify(value));
      }),
    );
  });

  it('by property: a string is a token exactly when JSON.parse accepts it', () => {
    const content = fc.array(fc.constantFrom('a', '\\', '"', 'u', '0', '1', 'f', 'n', '\n', '\u0000', '\ud800', 'é'), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(content, (characters) => {
        const text = `"${characters.join('')}"`;
        const lexer = new JsonLexer(text);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(lexer.next() === 'string' && lexer.at === text.length).toBe(isJson);
      }),
      { numRuns: 3000 },
    );
  });
});
