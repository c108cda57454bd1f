// Changes are never folded away, and no line is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './compare.ts';

const line = (changed: boolean) => ({ parts: [{ kind: changed ? 'added' : 'same', text: 'x' } as const], changed });
const lines = (pattern: string) => Array.from(pattern, (mark) => line(mark === '!'));
const shape = (pattern: string) =>
  fold(lines(pattern)).map((part) => (part.kind === 'fold' ? part.count : part.line.changed ? '!' : '.'));

describe('fold', () => {
  it('leaves a short comparison whole', () => {
    expect(shape('......!.....').join('')).toBe('......!.....');
  });

  it('retains one line around each change and counts the rest', () => {
    expect(shape('......!.......!')).toEqual([5, '.', '!', '.', 5, '.', '!']);
  });

  it('does not fold a single line: the fold would be as tall', () => {
    expect(shape('.......!...!...')).toEqual([6, '.', '!', '.', '.', '.', '!', '.', 2]);
  });

  it('retains every change and accounts for every line', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (changes) => {
        const folded = fold(changes.map(line));
        const total = folded.reduce((sum, part) => sum + (part.kind === 'fold' ? part.count : 1), 0);
        const kept = folded.filter((part) => part.kind === 'line' && part.line.changed).length;
        expect(total).toBe(changes.length);
        expect(kept).toBe(changes.filter(Boolean).length);
        expect(folded.every((part) => part.kind === 'line' || part.count > 1)).toBe(true);
      }),
    );
  });
});
