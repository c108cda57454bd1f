// Names and icons from hostile wallets.
import { describe, expect, it, vi } from 'vitest';
import { iconOf, walletName } from './sanitize-wallet.ts';

const any = (value: unknown) => value as never;

describe('wallet name', () => {
  it.each([
    ['an ordinary name', 'Phantom', 'Phantom'],
    ['markup, shown as text', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['a direction override', 'Phan\u202emot\u202c', 'Phanmot'],
    ['direction isolates and marks', '\u2066Solflare\u2069\u200f', 'Solflare'],
    ['zero-width characters', 'Back\u200bpack\ufeff', 'Backpack'],
    ['line breaks and tabs', ' Two\n\tlines\u2028here ', 'Two lines here'],
    ['control characters', 'a\u0000b\u001bc', 'abc'],
    ['an unpaired surrogate', 'a\ud83d', 'a'],
    ['nothing', '', ''],
    ['only invisible characters', '\u200b\u202e \u2069', ''],
    ['no text at all', 7, ''],
    ['an object with a toString method', { toString: () => 'Phantom' }, ''],
  ])('sanitizes a wallet name: %s', (_, name, shown) => expect(walletName({ name: any(name) })).toBe(shown));

  it('is cut to one line, however long', () => {
    expect(walletName({ name: 'x'.repeat(48) })).toBe('x'.repeat(48));
    expect(walletName({ name: 'x'.repeat(10_000) })).toBe(`${'x'.repeat(47)}…`);
    expect(Array.from(walletName({ name: '🦊'.repeat(10_000) }))).toHaveLength(48);
  });

  it('is cut before it is processed, so that its length costs nothing', () => {
    const replace = vi.spyOn(String.prototype, 'replace');
    walletName({ name: '\n'.repeat(20_000_000) });
    const lengths = replace.mock.contexts.map((text) => (text as string).length);
    replace.mockRestore();
    expect(Math.max(...lengths)).toBe(8 * 48);
  });
});

describe('wallet icon', () => {
  const SVG = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')}`;

  it.each([SVG, 'data:image/png;base64,AAAA', 'data:image/webp;base64,AAAA', 'data:image/gif;base64,AAAA'])(
    'shows the wallet icon %s',
    (icon) => expect(iconOf({ icon: any(icon) })).toBe(icon),
  );

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['a URL', 'http://evil.test/icon.png'],
    ['an https URL', 'https://evil.test/icon.png'],
    ['a URL without a scheme', '//evil.test/icon.png'],
    ['an HTML data URL', 'data:text/html;base64,AAAA'],
    ['a picture after a space', ' data:image/png;base64,AAAA'],
    ['a picture without base64', 'data:image/svg+xml,<svg/>'],
    ['five megabytes', `data:image/png;base64,${'A'.repeat(5_000_000)}`],
    ['nothing', ''],
    ['no text', null],
  ])('hides a wallet icon: %s', (_, icon) => expect(iconOf({ icon: any(icon) })).toBeNull());
});
