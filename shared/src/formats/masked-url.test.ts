// How URLs that are secrets are shown.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskedUrl } from './masked-url.ts';

it.each([
  ['https://hooks.slack.com/services/T000/B000/abcdefgh9fQx', 'https://hooks.slack.com/…9fQx'],
  ['https://example.com/short', 'https://example.com/…'],
  ['https://user:secret@example.com:8443/hooks?key=abcdefgh1234', 'https://example.com:8443/…1234'],
  ['no URL', '…'],
])('%s is shown as %s', (url, shown) => expect(maskedUrl(url)).toBe(shown));

it('never shows more than the last four characters of a path', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (path) => {
      const shown = maskedUrl(`https://example.com/${encodeURIComponent(path)}`);
      expect(shown.length).toBeLessThanOrEqual('https://example.com/…'.length + 4);
    }),
  );
});
