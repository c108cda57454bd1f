// @vitest-environment happy-dom
// The quotations that are linked, and their places on a page.
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { quotesOf, rangesOf } from './quotes.ts';

const INPUT = 'The supplier bears the risk\n  of loss until delivery. He said: it is “late” again.';

describe('quotesOf', () => {
  it('reads values of any depth', () => {
    const deep = (text: string) =>
      JSON.parse(`${'['.repeat(50_000)}${JSON.stringify(text)}${']'.repeat(50_000)}`) as Json;
    expect(quotesOf(deep('It says "bears the risk".'), deep(INPUT))).toEqual(['bears the risk']);
  });

  it.each([
    ['straight marks', 'It says "bears the risk of loss".', ['bears the risk of loss']],
    ['curly marks', 'It says “bears the risk of loss”.', ['bears the risk of loss']],
    ['German marks', 'Es sagt „bears the risk of loss“.', ['bears the risk of loss']],
    ['French marks, with their blanks', 'Il dit « bears the risk of loss ».', ['bears the risk of loss']],
    ['other blanks and line breaks', 'It says "bears  the\nrisk of loss".', ['bears the risk of loss']],
    [
      'each once, in order',
      '"of loss until delivery" and "bears the risk" and "bears the risk"',
      ['of loss until delivery', 'bears the risk'],
    ],
    ['none of fewer than 12 characters', 'It is "The supplier" and "bears risk"', ['The supplier']],
    ['none that differs in a letter', '"Bears the risk of loss"', []],
    ['none without marks', 'bears the risk of loss', []],
    [
      'none between two quotations',
      '"The supplier" bears the risk "until delivery"',
      ['The supplier', 'until delivery'],
    ],
    ['none of an open mark', 'He said "bears the risk of loss', []],
    ['none between apostrophes', "It's bears the risk of loss, isn't it", []],
  ])('finds the quotation: %s', (_, suggestion, found) => expect(quotesOf(suggestion, INPUT)).toEqual(found));

  it('looks into nested values of both sides', () => {
    const input = [{ role: 'user', content: { text: INPUT } }];
    expect(quotesOf({ why: ['"bears the risk of loss"'] }, input)).toEqual(['bears the risk of loss']);
  });

  it('looks for 500 quotations at most: each is a search through the whole input', () => {
    const foreign = (count: number) => Array.from({ length: count }, (_, n) => `"is not in the input ${n}"`).join(' ');
    expect(quotesOf(`${foreign(499)} "bears the risk of loss"`, INPUT)).toEqual(['bears the risk of loss']);
    expect(quotesOf(`${foreign(500)} "bears the risk of loss"`, INPUT)).toEqual([]);
  });

  it('finds none across two values of the input', () => {
    expect(quotesOf('"bears the risk of loss"', ['bears the risk', 'of loss'])).toEqual([]);
  });
});

describe('rangesOf', () => {
  it('finds a quotation across elements and line breaks, and tells where there is none', () => {
    document.body.innerHTML = '<p>It <b>bears</b> the\n risk</p><p><span>of loss</span> today</p>';
    const [found, missing] = rangesOf(document.body, ['bears the risk of loss', 'not here at all']);
    expect(found?.toString()).toBe('bears the\n riskof loss');
    expect(missing).toBeNull();
  });
});
