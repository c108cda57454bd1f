// What an edit changed, word by word, laid out in the lines of the new text.
import { diffLines, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** One line of the new text with what was taken out of it; `changed` when anything differs. */
export interface DiffLine {
  readonly parts: readonly DiffPart[];
  readonly changed: boolean;
}

/** Texts that differ too much to be worth comparing word by word are compared by line, in ms and edits. */
const LIMITS = { timeout: 60, maxEditLength: 2000 };

/** The lines of `after`, with what was removed struck in place. A removed line is a line of its own. */
export function compareText(before: string, after: string): DiffLine[] {
  const words = diffWordsWithSpace(before, after, LIMITS);
  const changes = words ?? diffLines(before, after, LIMITS) ?? whole(before, after);
  const parts = changes.map(({ value, added, removed }) => ({
    kind: added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const),
    text: value,
  }));
  return intoLines(joined(parts));
}

const whole = (before: string, after: string) => [
  { value: before, added: false, removed: true },
  { value: after, added: true, removed: false },
];

/** Crumbs of one or two letters between two changes are read as part of one change. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const merged: DiffPart[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed !== '') merged.push({ kind: 'removed', text: removed });
    if (added !== '') merged.push({ kind: 'added', text: added });
    removed = added = '';
  };
  for (const [index, part] of parts.entries()) {
    const between = removed + added !== '' && parts[index + 1] !== undefined;
    if (part.kind === 'removed') removed += part.text;
    else if (part.kind === 'added') added += part.text;
    else if (between && /^\S{1,3}$/u.test(part.text)) {
      removed += part.text;
      added += part.text;
    } else {
      flush();
      merged.push(part);
    }
  }
  flush();
  return merged;
}

function intoLines(parts: readonly DiffPart[]): DiffLine[] {
  const lines: DiffPart[][] = [[]];
  for (const part of parts) {
    const pieces = part.text.split('\n');
    for (const [index, text] of pieces.entries()) {
      if (index > 0) lines.push([]);
      // A line end that was removed has to be seen, or two joined lines would look untouched.
      const shown = part.kind === 'removed' && index < pieces.length - 1 ? `${text}↵` : text;
      if (shown !== '') lines.at(-1)?.push({ kind: part.kind, text: shown });
    }
  }
  return lines.map((line) => ({ parts: line, changed: line.some((part) => part.kind !== 'same') }));
}
