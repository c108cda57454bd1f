// A small edit reads word by word; a rewritten text reads as old above new; nothing of either is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from './compare.ts';

const shape = (before: string, after: string) =>
  compare(before, after).map(({ parts }) => parts.map(({ kind, text }) => `${kind[0]}:${text}`).join('|'));

describe('compare', () => {
  it('shows a small edit in place', () => {
    expect(shape('53 boys left.\nA: 44', '53 boys left.\nA: 49')).toEqual(['s:53 boys left.', 's:A: |r:44|a:49']);
  });

  it('shows a rewritten text as old above new', () => {
    expect(shape('He bought 3 for 4 each\nA: 7', 'Three cost twelve dollars together\nA: 12')).toEqual([
      'r:He bought 3 for 4 each',
      'r:A: 7',
      'a:Three cost twelve dollars together',
      'a:A: 12',
    ]);
  });

  it('shows common first and last lines once', () => {
    expect(shape('Hello\nabc def ghi jkl mno pqr\nBye', 'Hello\n123 456 789 012 345 678\nBye')).toEqual([
      's:Hello',
      'r:abc def ghi jkl mno pqr',
      'a:123 456 789 012 345 678',
      's:Bye',
    ]);
  });

  it('shows emptying and filling a text', () => {
    expect(shape('gone', '')).toEqual(['r:gone', '']);
    expect(shape('', 'new')).toEqual(['', 'a:new']);
  });

  it('contains every line of the new text, for any edit', () => {
    const text = fc
      .array(fc.constantFrom('one two', 'three', 'four five six', '', 'A: 7'), { maxLength: 6 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const shown = compare(before, after).map(({ parts }) =>
          parts.filter(({ kind }) => kind !== 'removed').map((part) => part.text),
        );
        const words = (value: string) => value.split(/\s+/).filter(Boolean).join(' ');
        expect(words(shown.map((parts) => parts.join('')).join('\n'))).toBe(words(after));
      }),
    );
  });
});
