// Unified diffs: recognized by their heads, and read line by line with the line numbers of both sides.

/** `head` names files, `hunk` a place; `note` is any line outside of a hunk. */
interface DiffTextLine {
  readonly kind: 'head' | 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  /** The line numbers before and after; null where the line does not exist. */
  readonly before: number | null;
  readonly after: number | null;
}

const HUNK = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const HEAD =
  /^(?:--- |\+\+\+ |diff |index [0-9a-f]|new file mode|deleted file mode|rename |similarity index|Index: |={60})/;
const NAMED = /^--- \S.*\n\+\+\+ \S/m;
const PLACED = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m;

export const isUnifiedDiff = (text: string): boolean =>
  (PLACED.test(text) && /^[+-]/m.test(text)) || (NAMED.test(text) && /^(?:[+-](?![+-])|@@)/m.test(text));

/** Every line of the text, in order. */
export function unifiedDiffLines(text: string): DiffTextLine[] {
  let [before, after] = [0, 0];
  /** The lines a hunk still has by its own count. Models count badly, so that a hunk may have more than it says. */
  let left = 0;
  return text.split(/\r?\n/).map((line): DiffTextLine => {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      const [, from, old = '1', to, fresh = '1'] = hunk;
      [before, after, left] = [Number(from), Number(to), Number(old) + Number(fresh)];
      return { kind: 'hunk', text: line, before: null, after: null };
    }
    // A removed line may begin with `-- `: only the count of the hunk tells it from the head of a file.
    if (left <= 0 && HEAD.test(line)) {
      [before, after] = [0, 0];
      return { kind: 'head', text: line, before: null, after: null };
    }
    const numbered = before > 0 || after > 0;
    left -= line.startsWith('+') || line.startsWith('-') ? 1 : 2;
    if (line.startsWith('+')) return { kind: 'added', text: line, before: null, after: numbered ? after++ : null };
    if (line.startsWith('-')) return { kind: 'removed', text: line, before: numbered ? before++ : null, after: null };
    if (!numbered || line.startsWith('\\') || (left < -1 && !line.startsWith(' ')))
      return { kind: 'note', text: line, before: null, after: null };
    return { kind: 'same', text: line, before: before++, after: after++ };
  });
}
