// The diff of an edit: it contains every character of both texts, and small changes read as one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText, type DiffLine } from './word-diff.ts';

const written = (lines: DiffLine[]) =>
  lines.map(({ parts }) =>
    parts
      .map(({ kind, text }) => (kind === 'removed' ? `[-${text}-]` : kind === 'added' ? `{+${text}+}` : text))
      .join(''),
  );

describe('compareText', () => {
  it('shows the changed words beside unchanged ones', () => {
    expect(written(compareText('one\nThe sum is 110', 'one\nThe sum is 90'))).toEqual([
      'one',
      'The sum is [-110-]{+90+}',
    ]);
    expect(compareText('same', 'same')).toEqual([{ parts: [{ kind: 'same', text: 'same' }], changed: false }]);
  });

  it('reads a changed formula as one change', () => {
    expect(written(compareText('x <<30*2=60>>60 beads', 'x <<20*2=40>>40 beads'))).toEqual([
      'x <<[-30*2=60>>60-]{+20*2=40>>40+} beads',
    ]);
  });

  it('shows removed line breaks', () => {
    expect(written(compareText('a\nb', 'a b'))).toEqual(['a[-↵-]', '{+ +}b']);
  });

  it('contains both texts completely, for any input', () => {
    const line = fc
      .array(fc.constantFrom('a', 'bb', ' ', '\n', '=', '12'), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(line, line, (before, after) => {
        const parts = compareText(before, after).flatMap((each) => each.parts);
        const side = (not: string) =>
          parts
            .filter((part) => part.kind !== not)
            .map((part) => part.text)
            .join('')
            .replaceAll('↵', '');
        expect(side('removed')).toBe(after.replaceAll('\n', ''));
        expect(side('added')).toBe(before.replaceAll('\n', ''));
      }),
    );
  });

  it('falls back from words for texts with nothing in common, and still answers', () => {
    const text = (seed: number) => Array.from({ length: 20_000 }, (_, at) => `w${(at * seed) % 9973}`).join(' ');
    expect(compareText(text(7), text(11)).length).toBeGreaterThan(0);
  });
});
