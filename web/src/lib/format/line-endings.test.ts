// Text shown with LF in a field is sent with its original line endings.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepLineEnds, withLf } from './line-endings.ts';

const END = fc.constantFrom('\r\n', '\n', '\r');
const LINE = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '"', '\u2028', 'é'), maxLength: 4 });
const TEXT = fc
  .tuple(fc.array(fc.tuple(LINE, END), { maxLength: 12 }), LINE)
  .map(([lines, last]) => lines.map(([line, end]) => line + end).join('') + last);

describe('QU18: line endings', () => {
  it.each<[string, string, string, string]>([
    ['nothing', 'a\r\nb\nc\rd', 'a\nb\nc\nd', 'a\r\nb\nc\rd'],
    ['one line', 'a\r\nb\nc\rd', 'a\nbX\nc\nd', 'a\r\nbX\nc\rd'],
    ['two lines far apart', 'a\r\nb\nc\rd\r\ne', 'aX\nb\nc\nd\neX', 'aX\r\nb\nc\rd\r\neX'],
    ['a line inserted after CR LF', 'a\r\nb\r\nc', 'a\nnew\nb\nc', 'a\r\nnew\r\nb\r\nc'],
    ['a line inserted among mixed ones', 'a\r\nb\nc', 'a\nnew\nb\nc', 'a\r\nnew\r\nb\nc'],
    ['a line inserted at the top', 'a\r\nb\nc', 'new\na\nb\nc', 'new\r\na\r\nb\nc'],
    ['lines added at the end', 'a\nb\r\nc', 'a\nb\nc\nd\ne', 'a\nb\r\nc\r\nd\r\ne'],
    ['a removed line', 'a\r\nb\nc\rd', 'a\nc\nd', 'a\r\nc\rd'],
    ['two lines joined', 'a\r\nb\nc', 'ab\nc', 'ab\nc'],
    ['the first line and the last at once', 'one\rtwo\r\nthree\nfour', '1\ntwo\nthree\n4', '1\rtwo\r\nthree\n4'],
    ['the text between CR and LF', 'a\rb\nc\r\nd', 'a\n\nc\nd', 'a\r\rc\r\nd'],
    ['everything', 'a\r\nb\n', 'x\ny\n', 'x\r\ny\n'],
    ['a text of one line', 'a', 'a\nb', 'a\nb'],
    ['an empty text', '', 'a\nb', 'a\nb'],
    ['a text with mixed endings', 'a\r\nb', 'a\r\nb\nc\rd', 'a\r\nb\r\nc\r\nd'],
  ])('are preserved when %s changed', (_, original, typed, kept) => {
    expect(keepLineEnds(original, typed)).toBe(kept);
  });

  it('are restored completely when the edit is reverted', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        expect(keepLineEnds(text, withLf(text))).toBe(text);
      }),
    );
  });

  it('differ in no other character, and are stable when preserved again', () => {
    fc.assert(
      fc.property(TEXT, TEXT, (original, typed) => {
        const kept = keepLineEnds(original, typed);
        expect(withLf(kept)).toBe(withLf(typed));
        expect(keepLineEnds(original, kept)).toBe(kept);
        const known = new Set(original.match(/\r\n|\r|\n/g) ?? ['\n']);
        for (const end of kept.match(/\r\n|\r|\n/g) ?? []) expect(known).toContain(end);
      }),
    );
  });

  it('stay before and after the place of one edit, for any text', () => {
    fc.assert(
      fc.property(TEXT, TEXT, TEXT, LINE, (head, old, tail, put) => {
        // The marks make the place unique to this edit.
        const original = `${head}<${old}>${tail}`;
        const kept = keepLineEnds(original, withLf(`${head}<${put}>${tail}`));
        expect([kept.startsWith(`${head}<`), kept.endsWith(`>${tail}`)]).toEqual([true, true]);
      }),
    );
  });

  it('stay when several unique lines change', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(END, fc.boolean()), { minLength: 2, maxLength: 30 }), (lines) => {
        const text = (changed: boolean) =>
          lines.map(([end, touched], at) => `line ${at}${changed && touched ? ' changed' : ''}${end}`).join('');
        expect(keepLineEnds(text(false), withLf(text(true)))).toBe(text(true));
      }),
    );
  });
});
