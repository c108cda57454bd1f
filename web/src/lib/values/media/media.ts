// Detects pictures, sound, video and PDF in submissions: embedded ones, and URLs of others. Loads nothing.
import { URL_LENGTH } from '@countersign/shared/limits';
import { segments } from '../text/segments.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'pdf';

/** An `inside` file is embedded in the text; of an `outside` one only the URL is known, and null for an unknown kind. */
export type Media =
  | {
      readonly kind: 'inside';
      readonly what: MediaKind;
      readonly src: string;
      readonly type: string;
      readonly bytes: number;
    }
  | { readonly kind: 'outside'; readonly what: MediaKind | null; readonly href: string; readonly host: string };

/** Drawings (SVG) are excluded: they are shown as text. */
const INSIDE =
  /^data:(image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/(?:mpeg|mp4|aac|flac|ogg|wav|webm)|video\/(?:mp4|webm)|application\/pdf);base64,([A-Za-z0-9+/]*={0,2})$/;

const EXTENSIONS: readonly [RegExp, MediaKind][] = [
  [/\.(?:png|jpe?g|gif|webp|avif|bmp)$/i, 'image'],
  [/\.(?:mp3|m4a|aac|flac|wav|ogg|oga|opus)$/i, 'audio'],
  [/\.(?:mp4|m4v|webm|mov)$/i, 'video'],
  [/\.pdf$/i, 'pdf'],
];

/** The file a text represents; null for any other text. */
export function mediaOf(text: string): Media | null {
  const [, type, data] = INSIDE.exec(text) ?? [];
  if (type !== undefined && data !== undefined && data !== '')
    return { kind: 'inside', what: kindOfType(type), src: text, type, bytes: Math.floor((data.length * 3) / 4) };
  const [part, ...rest] = text.length > URL_LENGTH ? [] : segments(text);
  if (part?.kind !== 'link' || rest.length > 0) return null;
  return { kind: 'outside', what: kindOfAddress(part.href), href: part.href, host: part.host };
}

/** The file that a value represents, where it is shown as such: embedded, or at a URL with the extension of a known kind. */
export function mediaIn(value: unknown): Media | null {
  const media = typeof value === 'string' && /^(?:data|https?):/i.test(value) ? mediaOf(value) : null;
  return media !== null && (media.kind === 'inside' || media.what !== null) ? media : null;
}

const kindOfType = (type: string): MediaKind =>
  type === 'application/pdf'
    ? 'pdf'
    : type.startsWith('audio/')
      ? 'audio'
      : type.startsWith('video/')
        ? 'video'
        : 'image';

function kindOfAddress(href: string): MediaKind | null {
  const path = URL.parse(href)?.pathname ?? '';
  return EXTENSIONS.find(([extension]) => extension.test(path))?.[1] ?? null;
}

/** Whether our server fetches from this address for a project with these media hosts (MP2). */
export function isOfHost(href: string, hosts: readonly string[]): boolean {
  const url = URL.parse(href);
  return url !== null && url.protocol === 'https:' && url.port === '' && hosts.includes(url.hostname);
}

/** Where our server serves the file at a URL that an item mentions (MP1). */
export const mediaAddress = (itemId: string, href: string): string =>
  `/api/items/${itemId}/media?url=${encodeURIComponent(href)}`;
