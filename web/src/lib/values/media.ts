// Pictures in what was submitted: those that came along, and addresses of others. Nothing here loads anything.
import { segments } from './text/segments.ts';

/** `inside` came with the text and can be shown; of what lies `outside` only the address is known. */
export type Media =
  | { readonly kind: 'inside'; readonly src: string; readonly type: string; readonly bytes: number }
  | { readonly kind: 'outside'; readonly href: string; readonly host: string };

/** Drawings (SVG) are left out: they are read as the text they are. */
const INSIDE = /^data:(image\/(?:png|jpeg|gif|webp|avif|bmp));base64,([A-Za-z0-9+/]*={0,2})$/;
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg|mp4|webm|mov|mp3|wav|ogg)$/i;

/** The picture a text stands for; null for any other text. */
export function mediaOf(text: string): Media | null {
  const inside = INSIDE.exec(text);
  const [, type, data] = inside ?? [];
  if (type !== undefined && data !== undefined && data !== '')
    return { kind: 'inside', src: text, type, bytes: Math.floor((data.length * 3) / 4) };
  const [part, ...rest] = text.length > 2048 ? [] : segments(text);
  return part?.kind === 'link' && rest.length === 0 ? { kind: 'outside', href: part.href, host: part.host } : null;
}

/** An address that says by its ending that a picture, a film or a sound is there. */
export const isPictureAddress = (href: string): boolean => URL.canParse(href) && PICTURE.test(new URL(href).pathname);
