// Finds words in rendered content: the ranges of the matches, without changing the page.
import { foldCase } from './fold-case.ts';

/** The most matches a user can step through. */
export const MOST_MATCHES = 1000;

/** Words do not run on from one of these into the next. Inside of one they do: colours and marks split its text. */
const BLOCKS = 'p, pre, li, td, th, dt, dd, div, summary, h1, h2, h3, h4, h5, h6';

interface Piece {
  readonly node: Node;
  readonly length: number;
  /** Where it begins in the text of its block. */
  readonly from: number;
}

/** The ranges of a text inside an element, case-insensitive. */
export function matchesIn(root: Node, wanted: string): Range[] {
  const ranges: Range[] = [];
  const sought = foldCase(wanted);
  if (sought === '') return ranges;
  for (const { text, pieces } of blocksOf(root)) {
    for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length)) {
      if (ranges.length === MOST_MATCHES) return ranges;
      ranges.push(rangeOf(pieces, at, at + sought.length));
    }
  }
  return ranges;
}

function blocksOf(root: Node): { text: string; pieces: Piece[] }[] {
  const blocks: { text: string; pieces: Piece[] }[] = [];
  let last: Element | null | undefined;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement?.closest(BLOCKS);
    const block = element === last ? blocks.at(-1) : undefined;
    const own = block ?? { text: '', pieces: [] };
    if (block === undefined) blocks.push(own);
    last = element;
    const text = node.textContent ?? '';
    own.pieces.push({ node, length: text.length, from: own.text.length });
    own.text += foldCase(text);
  }
  return blocks;
}

function rangeOf(pieces: readonly Piece[], from: number, to: number): Range {
  const range = document.createRange();
  const first = pieces.findLast((piece) => piece.from <= from);
  const last = pieces.findLast((piece) => piece.from < to);
  if (first !== undefined) range.setStart(first.node, Math.min(from - first.from, first.length));
  if (last !== undefined) range.setEnd(last.node, Math.min(to - last.from, last.length));
  return range;
}

const ALL = 'value-find';
const HERE = 'value-found';

/** Highlights the matches, and the current one; a browser without support only scrolls. */
export function paint(ranges: readonly Range[], at: number): void {
  if (typeof Highlight === 'undefined') return;
  const here = ranges[at];
  CSS.highlights.set(ALL, new Highlight(...ranges));
  if (here === undefined) CSS.highlights.delete(HERE);
  else CSS.highlights.set(HERE, new Highlight(here));
}

export function unpaint(): void {
  if (typeof Highlight === 'undefined') return;
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(HERE);
}
