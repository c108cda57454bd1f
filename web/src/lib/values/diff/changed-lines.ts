// Counts in how many lines two texts differ, as people count them.
import { diffLines } from 'diff/lib/diff/line.js';

/** Above these limits the texts are unrelated, in ms and edits. */
const LIMITS = { timeout: 60, maxEditLength: 2000 };

/** A changed line counts one, an added or removed line counts one, blank ones count none. */
export function changedLines(before: string, after: string): number {
  let sum = 0;
  let [added, removed] = [0, 0];
  const settle = () => {
    sum += Math.max(added, removed);
    added = removed = 0;
  };
  // Both end in a line break, so that the last line counts as the same with and without one.
  const changes = diffLines(`${before}\n`, `${after}\n`, LIMITS);
  if (changes === undefined) return Math.max(written(before), written(after));
  for (const change of changes) {
    if (change.added) added += written(change.value);
    else if (change.removed) removed += written(change.value);
    else settle();
  }
  settle();
  return sum;
}

const written = (text: string) => text.split('\n').filter((line) => line.trim() !== '').length;
