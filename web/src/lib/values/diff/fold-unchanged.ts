// Folds a long comparison down to the changes and their context, so that rendering costs only what changed.
import { count } from '#lib/format/format.ts';
import { valueMessages } from '../value-messages.ts';
import type { DiffLine, DiffPart } from './word-diff.ts';

/** A line to draw, or a number of lines left out. */
export type Folded =
  | { readonly kind: 'line'; readonly line: DiffLine; readonly at: number }
  | { readonly kind: 'gap'; readonly count: number; readonly at: number };

const SHORT = 40;
const CONTEXT = 3;

/** The changed lines with a few lines of context; a short text whole. */
export function foldUnchanged(lines: readonly DiffLine[]): Folded[] {
  const nearChanges = lines.length <= SHORT ? null : linesNearChanges(lines);
  const folded: Folded[] = [];
  let from = 0;
  const close = (to: number) => {
    if (to > from) folded.push({ kind: 'gap', count: to - from, at: from });
  };
  for (const [at, line] of lines.entries()) {
    if (nearChanges !== null && !nearChanges.has(at)) continue;
    close(at);
    folded.push({ kind: 'line', line: { ...line, parts: line.parts.map(shorten) }, at });
    from = at + 1;
  }
  close(lines.length);
  return folded;
}

function linesNearChanges(lines: readonly DiffLine[]): Set<number> {
  const nearChanges = new Set<number>();
  for (const [at, { changed }] of lines.entries()) {
    for (let each = at - CONTEXT; changed && each <= at + CONTEXT; each += 1) nearChanges.add(each);
  }
  return nearChanges;
}

const LONG = { same: 1200, removed: 6000, added: 6000 } as const;
const EXCERPT_LENGTH = { same: 400, removed: 2500, added: 2500 } as const;

/** A part that is too long to read, without its middle. */
function shorten(part: DiffPart): DiffPart {
  if (part.text.length <= LONG[part.kind]) return part;
  const excerpt = EXCERPT_LENGTH[part.kind];
  const left = part.text.length - 2 * excerpt;
  return {
    ...part,
    text: `${part.text.slice(0, excerpt)} ${valueMessages.omitted(count(left))} ${part.text.slice(-excerpt)}`,
  };
}
