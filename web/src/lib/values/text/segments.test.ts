// Submitted text cannot hide: invisible and reordering characters show, links name their true host, long text is cut cleanly.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clamp, segments, SCREENS } from './segments.ts';

const marks = (text: string) => segments(text).flatMap((part) => (part.kind === 'mark' ? [part.label] : []));
const links = (text: string) => segments(text).flatMap((part) => (part.kind === 'link' ? [part] : []));

describe('segments', () => {
  it('leaves ordinary text unchanged, including line breaks and tabs', () => {
    const text = 'a\n\tb\r\n <script>alert(1)</script> é 汉 ע';
    expect(segments(text)).toEqual([{ kind: 'text', text }]);
  });

  it.each([
    ['\u202e', 'RLO'],
    ['\u2066', 'LRI'],
    ['\u2069', 'PDI'],
    ['\u200f', 'RLM'],
    ['\u061c', 'ALM'],
    ['\u200b', 'ZWSP'],
    ['\u2060', 'WJ'],
    ['\ufeff', 'BOM'],
    ['\u00ad', 'SHY'],
    ['\u3164', 'HF'],
    ['\u2028', 'LSEP'],
    ['\r', 'U+000D'],
    ['\u0007', 'U+0007'],
    ['\u001b', 'U+001B'],
    ['\u{e0041}', 'TAG A'],
    ['\ufe01', 'U+FE01'],
    ['\u{e0100}', 'U+E0100'],
  ])('marks the hidden characters in %j', (character, label) => {
    expect(marks(`pay${character}load`)).toEqual([label]);
  });

  it('shows where a reordered file name was reversed', () => {
    expect(
      segments('invoice\u202efdp.exe').map((part) => (part.kind === 'mark' ? `[${part.label}]` : part.kind)),
    ).toEqual(['text', '[RLO]', 'text']);
  });

  it('leaves joiners and selectors unmarked inside an emoji, and marks them anywhere else', () => {
    expect(marks('👩‍👩‍👧 ❤️ 👍🏽')).toEqual([]);
    expect(marks('a\u200db c\ufe0f')).toEqual(['ZWJ', 'U+FE0F']);
  });

  it('never passes a hidden character through as text', () => {
    const hostile = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\u202e', '\u200b', '\u{e0020}', '\u0000', 'https://a.example/', '👩‍👧'),
      ),
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        for (const part of segments(parts.join(''))) {
          if (part.kind === 'text')
            expect(part.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u0000]/);
          if (part.kind === 'link') expect(part.href).toMatch(/^https?:\/\//);
        }
      }),
    );
  });

  it('finds URLs, without the punctuation of the sentence', () => {
    expect(links('see https://docs.example/a?b=1#c), or http://x.example.')).toMatchObject([
      { text: 'https://docs.example/a?b=1#c', host: 'docs.example' },
      { text: 'http://x.example', host: 'x.example' },
    ]);
  });

  it('names the host a URL really leads to', () => {
    expect(links('https://bank.example@evil.example/login')).toMatchObject([{ host: 'evil.example' }]);
    expect(links('https://раураl.example/')).toMatchObject([{ host: expect.stringMatching(/^xn--/) as string }]);
  });

  it('makes no link of other schemes, and ends one at a hidden character', () => {
    expect(links('javascript:alert(1) data:text/html,x file:///etc/passwd //evil.example')).toEqual([]);
    const parts = segments('https://good.example/\u202egpj.evil');
    expect(parts.map((part) => part.kind)).toEqual(['link', 'mark', 'text']);
  });

  it('reads a hostile text once: an address with a long run of punctuation, and many that a hidden character ends', () => {
    const run = '.'.repeat(250_000);
    expect(segments(`http://a/${run}`)).toMatchObject([{ text: 'http://a/' }, { kind: 'text', text: run }]);
    expect(links(`http://a/${run}x`)).toHaveLength(1);
    expect(marks('http://a\u200b'.repeat(25_000))).toHaveLength(25_000);
  });
});

describe('clamp', () => {
  it('leaves short text whole', () => {
    expect(clamp('one\ntwo')).toEqual({ shown: 'one\ntwo', clamped: false });
  });

  it('cuts after twenty lines, or long lines at a character', () => {
    expect(clamp('x\n'.repeat(50))).toEqual({ shown: Array.from({ length: 20 }, () => 'x').join('\n'), clamped: true });
    expect(clamp('x\n'.repeat(50), SCREENS).clamped).toBe(false);
    expect(clamp('x\n'.repeat(120), SCREENS).shown.split('\n')).toHaveLength(110);
    const { shown, clamped } = clamp(`a${'😀'.repeat(3000)}`);
    expect(clamped).toBe(true);
    expect(shown.isWellFormed()).toBe(true);
  });
});
