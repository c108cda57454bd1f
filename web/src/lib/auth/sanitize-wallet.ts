// Sanitizes the name and icon of a wallet: any script of the page may register one with any of both.
import type { Wallet } from '@wallet-standard/base';

const NAME_MAX = 48;
/** An icon of 20 pixels needs no more characters. */
const ICON_MAX = 200_000;
const ICON = /^data:image\/(svg\+xml|webp|png|gif);base64,/;

/** The name as one short line of text: without invisible characters and direction overrides. Empty when nothing is left of it. */
export function walletName({ name }: Pick<Wallet, 'name'>): string {
  if (typeof name !== 'string') return '';
  // The cut comes first: replacing reads the whole text, which may be of any length.
  const shown = name
    .slice(0, 8 * NAME_MAX)
    .replace(/[\s\p{Z}]+/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim();
  const letters = Array.from(shown);
  return letters.length > NAME_MAX ? `${letters.slice(0, NAME_MAX - 1).join('')}…` : shown;
}

/** The icon, only as a data URL: nothing is ever fetched, and in an `img` no script of an SVG runs. */
export function iconOf({ icon }: Pick<Wallet, 'icon'>): string | null {
  return typeof icon === 'string' && icon.length <= ICON_MAX && ICON.test(icon) ? icon : null;
}
