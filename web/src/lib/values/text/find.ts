// Finds words in rendered content: the ranges of the matches, without changing the page.

/** The most matches a user can step through. */
export const MOST_MATCHES = 1000;

/** The ranges of a text inside an element, case-insensitive. */
export function matchesIn(root: Node, wanted: string): Range[] {
  const ranges: Range[] = [];
  const sought = wanted.toLocaleLowerCase();
  if (sought === '') return ranges;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLocaleLowerCase();
    for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length)) {
      if (ranges.length === MOST_MATCHES) return ranges;
      const range = document.createRange();
      const length = node.textContent?.length ?? 0;
      range.setStart(node, Math.min(at, length));
      range.setEnd(node, Math.min(at + sought.length, length));
      ranges.push(range);
    }
  }
  return ranges;
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
