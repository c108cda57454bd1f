// A long comparison cut down to what changed and what stands round it, so that drawing it costs what changed.
import { count } from '#lib/format.ts';
import { valueText } from './value-text.ts';
import type { DiffLine, DiffPart } from './word-diff.ts';

/** A line to draw, or so many lines that are left out. */
export type Folded =
  | { readonly kind: 'line'; readonly line: DiffLine; readonly at: number }
  | { readonly kind: 'gap'; readonly count: number; readonly at: number };

const SHORT = 40;
const ROUND = 3;

/** The changed lines with a few round each; a short text whole. */
export function foldLines(lines: readonly DiffLine[]): Folded[] {
  const near = lines.length <= SHORT ? null : neighbours(lines);
  const folded: Folded[] = [];
  let from = 0;
  const close = (to: number) => {
    if (to > from) folded.push({ kind: 'gap', count: to - from, at: from });
  };
  for (const [at, line] of lines.entries()) {
    if (near !== null && !near.has(at)) continue;
    close(at);
    folded.push({ kind: 'line', line: { ...line, parts: line.parts.map(shorten) }, at });
    from = at + 1;
  }
  close(lines.length);
  return folded;
}

function neighbours(lines: readonly DiffLine[]): Set<number> {
  const near = new Set<number>();
  for (const [at, { changed }] of lines.entries()) {
    for (let each = at - ROUND; changed && each <= at + ROUND; each += 1) near.add(each);
  }
  return near;
}

const LONG = { same: 1200, removed: 6000, added: 6000 } as const;
const KEPT = { same: 400, removed: 2500, added: 2500 } as const;

/** A part that is long beyond reading, without its middle. */
function shorten(part: DiffPart): DiffPart {
  if (part.text.length <= LONG[part.kind]) return part;
  const kept = KEPT[part.kind];
  const left = part.text.length - 2 * kept;
  return { ...part, text: `${part.text.slice(0, kept)} ${valueText.leftOut(count(left))} ${part.text.slice(-kept)}` };
}
