// Splits submitted text into plain text, characters that must be made visible, and web URLs.
import { trimEnd } from '@countersign/shared/trim-end';

/** `text` is shown as it is; a `mark` represents an invisible character; a `link` names the host it really leads to. */
export type Segment =
  | { kind: 'text'; text: string }
  | { kind: 'mark'; label: string; name: string }
  | { kind: 'link'; text: string; href: string; host: string };

/** Characters that hide, reorder or join text, by code point: the short label, and the name in the Unicode standard. */
const NAMED: Record<number, [label: string, name: string]> = {
  0x00ad: ['SHY', 'soft hyphen'],
  0x034f: ['CGJ', 'combining grapheme joiner'],
  0x061c: ['ALM', 'Arabic letter mark'],
  0x115f: ['HCF', 'Hangul choseong filler'],
  0x1160: ['HJF', 'Hangul jungseong filler'],
  0x180e: ['MVS', 'Mongolian vowel separator'],
  0x200b: ['ZWSP', 'zero width space'],
  0x200c: ['ZWNJ', 'zero width non-joiner'],
  0x200d: ['ZWJ', 'zero width joiner'],
  0x200e: ['LRM', 'left-to-right mark'],
  0x200f: ['RLM', 'right-to-left mark'],
  0x2028: ['LSEP', 'line separator'],
  0x2029: ['PSEP', 'paragraph separator'],
  0x202a: ['LRE', 'left-to-right embedding'],
  0x202b: ['RLE', 'right-to-left embedding'],
  0x202c: ['PDF', 'pop directional formatting'],
  0x202d: ['LRO', 'left-to-right override'],
  0x202e: ['RLO', 'right-to-left override'],
  0x2060: ['WJ', 'word joiner'],
  0x2066: ['LRI', 'left-to-right isolate'],
  0x2067: ['RLI', 'right-to-left isolate'],
  0x2068: ['FSI', 'first strong isolate'],
  0x2069: ['PDI', 'pop directional isolate'],
  0x2800: ['BLANK', 'Braille pattern blank'],
  0x3164: ['HF', 'Hangul filler'],
  0xfeff: ['BOM', 'zero width no-break space'],
  0xffa0: ['HHF', 'halfwidth Hangul filler'],
};

/** Format characters, fillers, separators, variation selectors, unassigned-looking tags. */
const UNSEEN = String.raw`\p{Cf}\u034F\u115F\u1160\u2028\u2029\u2800\u3164\uFFA0\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}`;
/** The same and controls. Line breaks and tabs are layout. */
export const HIDDEN = new RegExp(String.raw`[${UNSEEN}]|(?![\n\t]|\r\n)\p{Cc}`, 'u');
/** An emoji may contain a joiner and a selector: those are part of the picture and hide nothing. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)*(?:\u200D\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)*)*/u;
/** A hidden character ends it. */
const ADDRESS = new RegExp(String.raw`https?:\/\/[^\s<>"\x60{}|\\^\p{Cc}${UNSEEN}]+`, 'u');
/** The punctuation of the sentence around an address. */
const TRAILING = `.,;:!?'")]`;
const PIECES = new RegExp(`(?<emoji>${EMOJI.source})|(?<link>${ADDRESS.source})|(?<hidden>${HIDDEN.source})`, 'giu');

/** The segments of a text, in order. Joined, links and marks are exactly where the original characters were. */
export function segments(text: string): Segment[] {
  const found: Segment[] = [];
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') found.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (const match of text.matchAll(PIECES)) {
    plain += text.slice(at, match.index);
    at = match.index;
    const special = pieceOf(match.groups ?? {});
    if (special === null) continue;
    flush();
    found.push(special);
    at += special.kind === 'link' ? special.text.length : match[0].length;
  }
  plain += text.slice(at);
  flush();
  return found;
}

function pieceOf({ hidden, link }: Record<string, string | undefined>): Segment | null {
  if (hidden !== undefined) return mark(hidden);
  return link === undefined ? null : linkOf(trimEnd(link, TRAILING));
}

/** The visible mark of one hidden character. */
function mark(character: string): Segment {
  const code = character.codePointAt(0) ?? 0;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  // Tag characters carry ASCII that only machines read: the mark spells it out.
  if (code >= 0xe0020 && code <= 0xe007e)
    return { kind: 'mark', label: `TAG ${String.fromCodePoint(code - 0xe0000)}`, name: `${hex} tag character` };
  const [label, name] = NAMED[code] ?? [hex, 'invisible or control character'];
  return { kind: 'mark', label, name: `${hex} ${name}` };
}

/** Null unless `text` is a whole URL. */
function linkOf(text: string): Segment | null {
  const url = URL.parse(text);
  return url && { kind: 'link', text, href: url.href, host: url.host };
}

/** How much of a text is shown at first. */
interface Limit {
  readonly lines: number;
  readonly characters: number;
}
/** In lists and cells. */
export const SHORT: Limit = { lines: 20, characters: 2400 };
/** Of an open item: about three screens. */
export const SCREENS: Limit = { lines: 110, characters: 12_000 };

/** The first part of a long text, cut at a line or between characters; the whole when it is short enough. */
export function clamp(text: string, most: Limit = SHORT): { shown: string; clamped: boolean } {
  const lines = text.split('\n', most.lines + 1);
  const head = lines.length > most.lines ? lines.slice(0, most.lines).join('\n') : text;
  if (head.length <= most.characters) return { shown: head, clamped: head.length < text.length };
  // Never between the halves of a surrogate pair.
  const half = /[\uD800-\uDBFF]/.test(head.charAt(most.characters - 1));
  return { shown: head.slice(0, half ? most.characters - 1 : most.characters), clamped: true };
}

/** Draws the spaces, tabs and line breaks inside a text as signs. */
export const withSpaces = (text: string): string =>
  text.replaceAll(' ', '·').replaceAll('\u00a0', '⍽').replaceAll('\t', '→\t').replaceAll('\n', '↵\n');
