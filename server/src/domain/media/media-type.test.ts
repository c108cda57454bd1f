// Tests which types the first bytes of a file name, and which headers agree with them (MP4).
import { describe, expect, it } from 'vitest';
import { agreedType, mediaTypeOf } from './media-type.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const iso = (brand: string) => `\0\0\0\x20ftyp${brand}\0\0\0\0`;

describe('MP4: the type of a file', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF87a', 'image/gif'],
    ['GIF89a', 'image/gif'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
    [iso('avif'), 'image/avif'],
    [iso('avis'), 'image/avif'],
    ['RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
    ['ID3\x03', 'audio/mpeg'],
    ['ID3\x04', 'audio/mpeg'],
    ['\xff\xfb\x90', 'audio/mpeg'],
    ['\xff\xf3\x90', 'audio/mpeg'],
    ['\xff\xf1\x50', 'audio/aac'],
    ['fLaC\0', 'audio/flac'],
    ['OggS\0', 'audio/ogg'],
    [iso('M4A '), 'audio/mp4'],
    [iso('isom'), 'video/mp4'],
    [iso('mp42'), 'video/mp4'],
    ['\x1a\x45\xdf\xa3\x01\0\x42\x82webm', 'video/webm'],
    ['%PDF-1.7', 'application/pdf'],
  ])('%j is %s', (start, type) => {
    expect(mediaTypeOf(bytes(start))?.type).toBe(type);
  });

  it.each([
    ['', 'nothing'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'SVG'],
    ['<!doctype html>', 'HTML'],
    [' \x89PNG\r\n\x1a\n', 'a picture behind white space'],
    ['\n%PDF-1.7', 'a PDF behind a line end'],
    [iso('qt  '), 'a brand that browsers do not play'],
    [`\x1a\x45\xdf\xa3${'\0'.repeat(80)}webm`, 'Matroska that says WebM too late'],
    ['RIFF\0\0\0\0AVI ', 'another file in RIFF'],
    ['\xff\xd8', 'a cut signature'],
    ['PK\x03\x04', 'an archive'],
  ])('%j has none: %s', (start) => {
    expect(mediaTypeOf(bytes(start))).toBeNull();
  });

  it('is read from the first 1,024 bytes alone', () => {
    expect(mediaTypeOf(bytes(`GIF89a${'<script>'.repeat(1_000)}`))?.type).toBe('image/gif');
  });
});

describe('MP4: a header agrees', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/jpeg', 'image/png'],
    ['\x89PNG\r\n\x1a\n', ' IMAGE/PNG ; q=1', 'image/png'],
    ['\x89PNG\r\n\x1a\n', 'image/svg+xml', null],
    ['\x89PNG\r\n\x1a\n', 'text/html', null],
    ['\x89PNG\r\n\x1a\n', 'audio/png', null],
    ['\x89PNG\r\n\x1a\n', undefined, null],
    ['%PDF-1.7', 'application/pdf', 'application/pdf'],
    ['%PDF-1.7', 'application/octet-stream', null],
    ['OggS\0', 'application/ogg', 'audio/ogg'],
    ['ID3\x03', 'application/ogg', null],
    ['ID3\x03', 'video/mpeg', null],
    [iso('isom'), 'audio/mp4', 'audio/mp4'],
    [iso('isom'), 'video/quicktime', 'video/mp4'],
    ['\x1a\x45\xdf\xa3webm', 'audio/webm', 'audio/webm'],
    [iso('M4A '), 'video/mp4', null],
    ['<svg/>', 'image/png', null],
  ])('%j sent as %s is served as %s', (start, header, served) => {
    expect(agreedType(mediaTypeOf(bytes(start)), header)).toBe(served);
  });
});
