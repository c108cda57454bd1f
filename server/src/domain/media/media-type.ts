// The types that the media proxy serves, recognized by their first bytes (MP4). HTML, SVG and all others have none.

/** A type as it is served; the family decides whether a header agrees. */
export interface MediaType {
  type: string;
  family: 'image' | 'audio' | 'video' | 'application/pdf';
}

/** How many bytes the recognition reads. */
export const SNIFFED_BYTES = 1_024;

const image = (type: string): MediaType => ({ type: `image/${type}`, family: 'image' });
const audio = (type: string): MediaType => ({ type: `audio/${type}`, family: 'audio' });
const video = (type: string): MediaType => ({ type: `video/${type}`, family: 'video' });

/** What the bytes at the start of a file say it is; null for anything that is not served. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  const text = latin1(bytes.subarray(0, SNIFFED_BYTES));
  const found = SIGNATURES.find(([sign]) => sign.test(text));
  if (found !== undefined) return found[1];
  return text.slice(4, 8) === 'ftyp' ? isoType(text.slice(8, 12)) : null;
}

const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** Each at the very start: leading white space or marks are what HTML parsers forgive, and what a polyglot needs. */
const SIGNATURES: readonly [RegExp, MediaType][] = [
  [/^\x89PNG\r\n\x1a\n/, image('png')],
  [/^\xff\xd8\xff/, image('jpeg')],
  [/^GIF8[79]a/, image('gif')],
  [/^RIFF[\s\S]{4}WEBPVP8/, image('webp')],
  [/^RIFF[\s\S]{4}WAVE/, audio('wav')],
  [/^ID3[\x02-\x04]/, audio('mpeg')],
  [/^\xff[\xfa\xfb\xf2\xf3]/, audio('mpeg')],
  [/^\xff[\xf0\xf1\xf8\xf9]/, audio('aac')],
  [/^fLaC/, audio('flac')],
  [/^OggS/, audio('ogg')],
  [/^\x1a\x45\xdf\xa3[\s\S]{0,60}webm/, video('webm')],
  [/^%PDF-/, { type: 'application/pdf', family: 'application/pdf' }],
];

function isoType(brand: string): MediaType | null {
  if (brand === 'avif' || brand === 'avis') return image('avif');
  if (brand === 'M4A ' || brand === 'M4B ') return audio('mp4');
  return /^(?:isom|iso[2-9]|mp4[12]|avc1|M4V |dash|MSNV)$/.test(brand) ? video('mp4') : null;
}

/**
 * Whether a `content-type` header names the same kind of file. Sound in a container for video is sound, as its header
 * says: the result is the type to serve, or null.
 */
export function agreedType(found: MediaType | null, header: string | undefined): string | null {
  const said = (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (found === null || said === 'image/svg+xml') return null;
  if (found.family === 'application/pdf') return said === found.type ? found.type : null;
  if (found.family === 'video' && said.startsWith('audio/')) return found.type.replace('video/', 'audio/');
  return said.startsWith(`${found.family}/`) || (found.type === 'audio/ogg' && said === 'application/ogg')
    ? found.type
    : null;
}
