// Compares an edit word by word, in the lines of the new text.
import { withLf } from '#lib/format/line-endings.ts';
import { diffLines, diffWordsWithSpace } from 'diff';

export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** One line of the new text with its removed parts; `changed` when anything differs. */
export interface DiffLine {
  readonly parts: readonly DiffPart[];
  readonly changed: boolean;
}

/** Above these limits texts are compared by line instead of by word, in ms and edits. */
const LIMITS = { timeout: 60, maxEditLength: 2000 };

/** Longer texts are compared only between their common beginning and end, so that typing stays quick. */
const LONG = 10_000;

/** Both with LF only, so that no line ending shows as a change; unchanged where nothing else differs. */
function withLfEndings(before: string, after: string): [string, string] {
  const texts: [string, string] = [withLf(before), withLf(after)];
  return texts[0] === texts[1] && before !== after ? [before, after] : texts;
}

/** The lines of `after`, with removed text struck in place. A removed line is a line of its own. */
export function compareText(...texts: [before: string, after: string]): DiffLine[] {
  const [before, after] = withLfEndings(...texts);
  const { head, tail } = before.length + after.length > LONG ? common(before, after) : { head: 0, tail: 0 };
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const words = diffWordsWithSpace(old, now, LIMITS);
  const changes = words ?? diffLines(old, now, LIMITS) ?? fullReplacement(old, now);
  return intoLines(joined(around(changes.map(partOf), before.slice(0, head), before.slice(before.length - tail))));
}

/** The same, line by line: a changed line is shown before and after the change. */
export function compareLines(...texts: [before: string, after: string]): DiffLine[] {
  const [before, after] = withLfEndings(...texts);
  const { head, tail } = common(before, after, /\n/);
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const changes = diffLines(old, now, LIMITS) ?? fullReplacement(old, now);
  const parts = around(changes.map(partOf), before.slice(0, head), before.slice(before.length - tail));
  const lines = parts.flatMap((part) => {
    const texts = part.text.split('\n');
    // A text that ends with a line break has no further line.
    if (texts.length > 1 && texts.at(-1) === '') texts.pop();
    return texts.map((text): DiffLine => ({ parts: [{ ...part, text }], changed: part.kind !== 'same' }));
  });
  return lines.length === 0 ? [{ parts: [], changed: false }] : lines;
}

function partOf({ value, added, removed }: { value: string; added?: boolean; removed?: boolean }): DiffPart {
  return { kind: added ? 'added' : removed ? 'removed' : 'same', text: value };
}

function around(parts: readonly DiffPart[], head: string, tail: string): DiffPart[] {
  const same = (text: string): DiffPart[] => (text === '' ? [] : [{ kind: 'same', text }]);
  return [...same(head), ...parts, ...same(tail)];
}

/** How much two texts have in common at their beginning and end, up to a word (or line) boundary. */
function common(before: string, after: string, edge = /\s/): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  while (head > 0 && !edge.test(before[head - 1] ?? '')) head -= 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  while (tail > 0 && !edge.test(before[before.length - tail] ?? '')) tail -= 1;
  // A line break belongs to the line it ends.
  return { head, tail: tail > 0 && edge.source === '\\n' ? tail - 1 : tail };
}

const fullReplacement = (before: string, after: string) => [
  { value: before, added: false, removed: true },
  { value: after, added: true, removed: false },
];

/** One or two unchanged letters between two changes are read as part of one change. */
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
      // A removed line break must be visible, or two joined lines would look unchanged.
      const shown = part.kind === 'removed' && index < pieces.length - 1 ? `${text}↵` : text;
      if (shown !== '') lines.at(-1)?.push({ kind: part.kind, text: shown });
    }
  }
  return lines.map((line) => ({ parts: line, changed: line.some((part) => part.kind !== 'same') }));
}
