// Markdown is read into tokens; a text that would hold up the page is not.
import { describe, expect, it } from 'vitest';
import { leadingFormula } from '../kinds/math.ts';
import { markdownTokens } from './markdown-tokens.ts';

/** A clock on which each look takes a millisecond. */
function ticking(): () => number {
  let ms = 0;
  return () => (ms += 1);
}

describe('Markdown', () => {
  it('is read into tokens, with its formulas', () => {
    const tokens = markdownTokens('# a\n\n$$x_1 = 2$$\n\nsee $y^2$.') ?? [];
    const types = tokens.filter(({ type }) => type !== 'space').map(({ type }) => type);
    expect(types).toEqual(['heading', 'mathBlock', 'paragraph']);
  });

  it.each([
    ['nested quotes', '> '.repeat(1_500)],
    ['nested lists', '+ '.repeat(1_500)],
    ['formulas that do not end', '\\('.repeat(1_500)],
    ['one character', '!'.repeat(3_000)],
  ])('is given up after a second: %s', (_, text) => expect(markdownTokens(`${text}\nx`, ticking())).toBeNull());

  it('of a long honest text is never given up in a thousand steps', () => {
    expect(markdownTokens(`${'Some **bold** words. '.repeat(50)}\n\n`.repeat(3), ticking())).not.toBeNull();
  });
});

describe('the formula that a text begins with', () => {
  it.each([
    ['$x^2$ is', '$x^2$'],
    ['$$a$$', '$$a$$'],
    ['\\(a\\) b', '\\(a\\)'],
    ['\\[a\n\\]', '\\[a\n\\]'],
    ['a $x^2$', undefined],
    ['$5 and $6', undefined],
    ['\\('.repeat(100), undefined],
  ])('of %j is %j', (text, expected) => expect(leadingFormula(text)?.text).toBe(expected));
});
