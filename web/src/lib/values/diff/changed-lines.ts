// How many lines two texts differ in, as people count them.
import { diffLines } from 'diff';

/** Texts that differ more than that are another text altogether, in ms and edits. */
const LIMITS = { timeout: 60, maxEditLength: 2000 };

/** A mended line is one, a line that came or went is one, blank ones are none. */
export function changedLines(before: string, after: string): number {
  let sum = 0;
  let [added, removed] = [0, 0];
  const settle = () => {
    sum += Math.max(added, removed);
    added = removed = 0;
  };
  // Both end in a line end, so that the last line counts as the same with and without one.
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
