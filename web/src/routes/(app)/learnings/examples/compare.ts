// Compares an edit for reading: word by word while most of the text is unchanged, old above new when it was rewritten.
import { compareText, type DiffLine } from '#lib/values/diff/word-diff.ts';

/** Below this share of unchanged characters the changed words would mix both texts unreadably. */
const MIN_UNCHANGED_SHARE = 0.5;

/** The lines to show for a text and its edited version. */
export function compare(before: string, after: string): DiffLine[] {
  const lines = compareText(before, after);
  const unchanged = lines
    .flatMap(({ parts }) => parts)
    .reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.trim().length : 0), 0);
  const whole = Math.max(letters(before), letters(after));
  return whole > 0 && unchanged / whole < MIN_UNCHANGED_SHARE ? replaced(before.split('\n'), after.split('\n')) : lines;
}

const letters = (text: string): number => text.split('\n').reduce((sum, line) => sum + line.trim().length, 0);

/** Common first and last lines stay; between them everything old, then everything new. */
function replaced(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...after.slice(0, head).map(line('same')),
    ...before.slice(head, before.length - tail).map(line('removed')),
    ...after.slice(head, after.length - tail).map(line('added')),
    ...after.slice(after.length - tail).map(line('same')),
  ];
}

const line =
  (kind: 'same' | 'removed' | 'added') =>
  (text: string): DiffLine => ({ parts: text === '' ? [] : [{ kind, text }], changed: kind !== 'same' });

type Folded = { kind: 'line'; line: DiffLine; at: number } | { kind: 'fold'; count: number; at: number };

/** Comparisons of this length or shorter are never folded. */
const SHORT = 12;
/** Unchanged lines that stay around each change. */
const CONTEXT = 1;

/** The lines of a comparison with folds in place of unchanged parts; a fold replaces at least two lines. */
export function fold(lines: readonly DiffLine[]): Folded[] {
  const nearChanges = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => line.changed),
  );
  const folded: Folded[] = [];
  for (const [at, line] of lines.entries()) {
    const last = folded.at(-1);
    const isSingle = nearChanges[at - 1] !== false && nearChanges[at + 1] !== false;
    if (lines.length <= SHORT || nearChanges[at] === true || isSingle) folded.push({ kind: 'line', line, at });
    else if (last?.kind === 'fold') last.count += 1;
    else folded.push({ kind: 'fold', count: 1, at });
  }
  return folded;
}
