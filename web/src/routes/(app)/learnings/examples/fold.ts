// Folds a long comparison to its changes: distant unchanged lines become one line that counts them.
import type { DiffLine } from '#lib/values/diff/word-diff.ts';

export type Folded = { kind: 'line'; line: DiffLine; at: number } | { kind: 'fold'; count: number; at: number };

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
