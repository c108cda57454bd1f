// Which response headers are stored: the allow-list, limited in size, and harmless text (W6).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedHeaders } from './answer.ts';

const size = (stored: Record<string, string>) => Object.entries(stored).flat().join('').length;

describe('W6: of the response headers', () => {
  it('only a few are stored: no cookie, no secret of the receiver', () => {
    const stored = storedHeaders({
      'content-type': 'text/plain',
      'set-cookie': ['session=1'],
      'x-powered-by': 'PHP',
      authorization: 'Bearer x',
      'retry-after': '120',
    });
    expect(stored).toEqual({ 'content-type': 'text/plain', 'retry-after': '120' });
  });

  it('a repeated one is joined', () => {
    expect(storedHeaders({ via: ['1.1 a', '1.1 b'] })).toEqual({ via: '1.1 a, 1.1 b' });
  });

  it.each([
    ['a control character', 'a\u0000b\u001b[31mc\u0085', 'a\ufffdb\ufffd[31mc\ufffd'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['markup stays text', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('makes response headers harmless: %s', (_, value, shown) => {
    expect(storedHeaders({ server: value })).toEqual({ server: shown });
  });

  it('a long one is truncated, also between the halves of a character', () => {
    const stored = storedHeaders({ server: `x${'👩'.repeat(3_000)}`, via: 'b' });
    expect(size(stored)).toBe(4_096);
    expect(stored.server).toMatch(/^x(👩)+\ufffd?$/u);
    expect(stored.via).toBeUndefined();
  });

  it('for any input, the stored part is small and safe to store', () => {
    const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 6_000 }), fc.array(fc.string({ maxLength: 900 })));
    const headers = fc.record({ 'content-type': value, date: value, server: value, via: value }, { requiredKeys: [] });
    fc.assert(
      fc.property(headers, (given) => {
        const stored = storedHeaders(given);
        expect(size(stored)).toBeLessThanOrEqual(4_096);
        // No control character (PostgreSQL refuses NUL in JSON) and no lone surrogate.
        for (const text of Object.values(stored)) {
          expect(text).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
