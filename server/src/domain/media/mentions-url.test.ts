// Which URLs an item mentions (MP1), and which files have a type that is served (MP4).
import { describe, expect, it } from 'vitest';
import { agreedType, mediaTypeOf } from './media-type.ts';
import { mentionsUrl, spelledUrl } from './mentions-url.ts';

const URL_ = 'https://images.example.com/a%20b.png?x=1';
const mentions = (value: unknown, url = URL_) => mentionsUrl([null, JSON.stringify(value)], spelledUrl(url) ?? '');

describe('MP1: an item mentions a URL', () => {
  it.each([
    URL_,
    { photos: [{ url: URL_ }] },
    `See ![photo](${URL_}) and tell.`,
    `<img src="${URL_}">`,
    `It is at ${URL_}.`,
    'HTTPS://Images.Example.com/a b.png?x=1#page=2',
  ])('finds the URL in %j', (value) => expect(mentions(value)).toBe(true));

  it.each([
    'https://images.example.com/a%20b.png?x=10',
    'https://images.example.com/',
    `${URL_}/more`,
    { [URL_]: 1 },
    'images.example.com/a%20b.png?x=1',
    '',
    null,
  ])('does not find the URL in %j', (value) => expect(mentions(value)).toBe(false));

  it.each([
    ['![x](https://e.org/a_(b).png)', 'https://e.org/a_(b).png'],
    ['(https://e.org/a_(b)).', 'https://e.org/a_(b)'],
    ['![x](<https://e.org/a b.png>)', 'https://e.org/a%20b.png'],
    ['![x](<https://e.org/a b.png>)', 'https://e.org/a b.png'],
    ["![x](https://e.org/a'b.png)", "https://e.org/a'b.png"],
    ["See https://e.org/o'neil.png?by=o'neil, please.", "https://e.org/o'neil.png?by=o'neil"],
    ['[x](https://e.org/a[1].png "A title")', 'https://e.org/a[1].png'],
    ['![x](HTTPS://E.org/a\\_b\\(1\\).png)', 'https://e.org/a_b(1).png'],
    ['| https://e.org/{a}|ü.pdf#page=2 |', 'https://e.org/{a}|ü.pdf'],
    ['**https://e.org/a(b).png**', 'https://e.org/a(b).png'],
    ['https://e.org/a(b) https://e.org/a(b).png', 'https://e.org/a(b).png'],
  ])('in %j: %s', (text, url) => expect(mentions(text, url)).toBe(true));

  it.each([
    ['![x](https://e.org/a_(b).png)', 'https://e.org/a_(b)'],
    ['![x](https://e.org/a_(b).png)', 'https://e.org/a_(b'],
    ['![x](https://e.org/a[1].png)', 'https://e.org/a[1'],
    ['See https://e.org/a b.png', 'https://e.org/a%20b.png'],
    ['<https://e.org/a b.png', 'https://e.org/a%20b.png'],
    ['<a href="https://e.org/a" title="b">', 'https://e.org/a%22%20title=%22b'],
    ['See https://e.org/a/(b)', 'https://e.org/a%2F(b)'],
    ['See https://e.org/A(b)', 'https://e.org/a(b)'],
    ['See https://e.org/a\\_', 'https://e.org/a/'],
    ["See https://e.org/a'b", 'https://e.org/a%27b'],
    ['See https://e.org/a(b)/c', 'https://e.org/a(b)'],
    ['https://evil.example/?u=https://e.org/a(b)', 'https://e.org/a(b)'],
    ['See https://e.org/a\\b(c)', 'https://e.org/ab(c)'],
  ])('not in %j: %s', (text, url) => expect(mentions(text, url)).toBe(false));

  it('in a text that begins the URL again and again, without a second look at any of it', () => {
    const url = `https://a/(${'https://a/('.repeat(150)}b)`;
    expect(mentions('https://a/('.repeat(20_000), url)).toBe(false);
    expect(mentions(`${'https://a/('.repeat(20_000)} ${url}`, url)).toBe(true);
  });

  it('in a text that is one long run of punctuation, without a second look at any of it', () => {
    const hostile = `https://a/${'.'.repeat(250_000)}x ${URL_}${'!'.repeat(100_000)}`;
    expect(mentions(hostile)).toBe(true);
    expect(mentions(hostile, 'https://b.example/')).toBe(false);
  });

  it('in a value of any depth', () => {
    const deep = `${'['.repeat(20_000)}${JSON.stringify(URL_)}${']'.repeat(20_000)}`;
    expect(mentionsUrl([deep], spelledUrl(URL_) ?? '')).toBe(true);
  });
});

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('MP4: the type of a file', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg', 'image/jpeg'],
    ['GIF89a', 'image/gif', 'image/gif'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp', 'image/webp'],
    ['\0\0\0\x20ftypavif', 'image/avif', 'image/avif'],
    ['RIFF\0\0\0\0WAVEfmt ', 'audio/x-wav', 'audio/wav'],
    ['OggS\0', 'application/ogg', 'audio/ogg'],
    ['\0\0\0\x20ftypisom', 'video/mp4', 'video/mp4'],
    ['\0\0\0\x20ftypmp42', 'audio/mp4', 'audio/mp4'],
    ['\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x82\x84webm', 'video/webm', 'video/webm'],
    ['%PDF-1.7', 'application/pdf', 'application/pdf'],
  ])('%j called %s is %s', (start, header, type) => expect(agreedType(mediaTypeOf(bytes(start)), header)).toBe(type));

  it.each([
    ['<svg>', 'image/svg+xml'],
    ['\x89PNG\r\n\x1a\n', 'image/svg+xml'],
    ['\x89PNG\r\n\x1a\n', 'text/html'],
    ['\x89PNG\r\n\x1a\n', undefined],
    [' \x89PNG\r\n\x1a\n', 'image/png'],
    ['%PDF-1.7', 'image/png'],
    ['\0\0\0\x20ftypqt  ', 'video/quicktime'],
    ['BM', 'image/bmp'],
    ['', 'image/png'],
  ])('%j called %s is none', (start, header) => expect(agreedType(mediaTypeOf(bytes(start)), header)).toBeNull());
});
