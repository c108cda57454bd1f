// Detects pictures in submissions: embedded ones, and URLs of remote ones. Loads nothing.
import { segments } from './text/segments.ts';

/** An `inside` picture is embedded in the text and can be shown; of an `outside` one only the URL is known. */
export type Media =
  | { readonly kind: 'inside'; readonly src: string; readonly type: string; readonly bytes: number }
  | { readonly kind: 'outside'; readonly href: string; readonly host: string };

/** Drawings (SVG) are excluded: they are shown as text. */
const INSIDE = /^data:(image\/(?:png|jpeg|gif|webp|avif|bmp));base64,([A-Za-z0-9+/]*={0,2})$/;
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg|mp4|webm|mov|mp3|wav|ogg)$/i;

/** The picture a text represents; null for any other text. */
export function mediaOf(text: string): Media | null {
  const inside = INSIDE.exec(text);
  const [, type, data] = inside ?? [];
  if (type !== undefined && data !== undefined && data !== '')
    return { kind: 'inside', src: text, type, bytes: Math.floor((data.length * 3) / 4) };
  const [part, ...rest] = text.length > 2048 ? [] : segments(text);
  return part?.kind === 'link' && rest.length === 0 ? { kind: 'outside', href: part.href, host: part.host } : null;
}

/** Whether a URL's extension suggests a picture, a film or a sound. */
export const isPictureAddress = (href: string): boolean => URL.canParse(href) && PICTURE.test(new URL(href).pathname);
