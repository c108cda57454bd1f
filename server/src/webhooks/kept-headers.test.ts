// What is kept of an answer's headers: the allow-list, little, and nothing that does anything (W6).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptHeaders } from './kept-headers.ts';

const size = (kept: Record<string, string>) => Object.entries(kept).flat().join('').length;

describe('W6: of the headers of an answer', () => {
  it('a few are kept, and nothing else: no cookie, no secret of the receiver', () => {
    const kept = keptHeaders({
      'content-type': 'text/plain',
      'set-cookie': ['session=1'],
      'x-powered-by': 'PHP',
      authorization: 'Bearer x',
      'retry-after': '120',
    });
    expect(kept).toEqual({ 'content-type': 'text/plain', 'retry-after': '120' });
  });

  it('one that is sent twice is joined', () => {
    expect(keptHeaders({ via: ['1.1 a', '1.1 b'] })).toEqual({ via: '1.1 a, 1.1 b' });
  });

  it.each([
    ['a control character', 'a\u0000b\u001b[31mc\u0085', 'a\ufffdb\ufffd[31mc\ufffd'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['markup stays text', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%s does nothing', (_, value, shown) => {
    expect(keptHeaders({ server: value })).toEqual({ server: shown });
  });

  it('what is too long is cut, also between the halves of a character', () => {
    const kept = keptHeaders({ server: `x${'👩'.repeat(3_000)}`, via: 'b' });
    expect(size(kept)).toBe(4_096);
    expect(kept.server).toMatch(/^x(👩)+\ufffd?$/u);
    expect(kept.via).toBeUndefined();
  });

  it('whatever comes, what is kept is small and can be stored', () => {
    const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 6_000 }), fc.array(fc.string({ maxLength: 900 })));
    const headers = fc.record({ 'content-type': value, date: value, server: value, via: value }, { requiredKeys: [] });
    fc.assert(
      fc.property(headers, (given) => {
        const kept = keptHeaders(given);
        expect(size(kept)).toBeLessThanOrEqual(4_096);
        // Neither a control character (PostgreSQL refuses NUL in JSON) nor half of another one.
        for (const text of Object.values(kept)) {
          expect(text).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
