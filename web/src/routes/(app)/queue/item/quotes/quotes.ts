// The quotations of a suggestion that its input contains, and where a rendered page shows them.
import { entriesOf, isArray, isObject } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';

/** Shorter ones are words in quotation marks, not quotations. */
const MIN_CHARACTERS = 12;
const MAX_QUOTES = 50;
/** Quotations that are looked for: each is a search through the whole input. */
const MAX_CANDIDATES = 500;
const MAX_CHARACTERS = 2000;

/** Opening and closing marks of several languages. The single ones are left out: they are apostrophes too. */
const MARKS = ['""', '“”', '„“', '„”', '”“', '«»', '»«', '「」', '『』'];
const QUOTATIONS = MARKS.map(
  ([open, close]) => new RegExp(`${open}([^${open}${close}]{1,${MAX_CHARACTERS}})${close}`, 'gu'),
);

/** Runs of blanks and line breaks count as one blank. */
const normalise = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** The texts inside a value, in order. Without recursion: the depth of a value is its sender's choice. */
function textsOf(value: Json): string[] {
  const texts: string[] = [];
  const rest = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === 'string') texts.push(next);
    else if (isArray(next)) for (const member of next.toReversed()) rest.push(member);
    else if (isObject(next)) for (const [, member] of entriesOf(next).toReversed()) rest.push(member);
  }
  return texts;
}

/** The quotations of the suggestion that stand in the input word for word, each once, in the order of the suggestion. */
export function quotesOf(suggestion: Json, input: Json): string[] {
  const quoted = textsOf(suggestion).flatMap((text) =>
    QUOTATIONS.flatMap((pattern) => [...text.matchAll(pattern)])
      .sort((a, b) => a.index - b.index)
      .map(([, inside = '']) => normalise(inside)),
  );
  const candidates = new Set(quoted.filter((quote) => quote.length >= MIN_CHARACTERS));
  if (candidates.size === 0) return [];
  const source = textsOf(input).map(normalise);
  return [...candidates]
    .slice(0, MAX_CANDIDATES)
    .filter((quote) => source.some((text) => text.includes(quote)))
    .slice(0, MAX_QUOTES);
}

const LINES = 'p, li, dd, dt, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote';

/** The first place of each quotation inside an element; a line break between two elements counts as a blank. */
export function rangesOf(root: Node, quotes: readonly string[]): (Range | null)[] {
  const places: { node: Node; offset: number }[] = [];
  const characters: string[] = [];
  let wasBlank = false;
  let line: Element | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const own = node.parentElement?.closest(LINES) ?? null;
    const shown = (own === line ? '' : ' ') + (node.textContent ?? '');
    const shift = own === line ? 0 : 1;
    line = own;
    for (let at = 0; at < shown.length; at += 1) {
      const isBlank = /\s/u.test(shown.charAt(at));
      if (isBlank && wasBlank) continue;
      wasBlank = isBlank;
      characters.push(isBlank ? ' ' : shown.charAt(at));
      places.push({ node, offset: Math.max(0, at - shift) });
    }
  }
  const text = characters.join('');
  return quotes.map((quote) => {
    const at = text.indexOf(quote);
    const [first, last] = [places[at], places[at + quote.length - 1]];
    if (at === -1 || first === undefined || last === undefined) return null;
    const range = document.createRange();
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset + 1);
    return range;
  });
}
