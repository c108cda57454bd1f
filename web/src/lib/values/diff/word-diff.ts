// Compares an edit word by word, in the lines of the new text, and folds what did not change.
import { withLf } from '#lib/format/line-endings.ts';
import { diffLines } from 'diff/lib/diff/line.js';
import { diffWordsWithSpace } from 'diff/lib/diff/word.js';
import { count } from '#lib/format/format.ts';
import { valueMessages } from '../value-messages.ts';

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

/** A line to draw, or a number of lines left out. */
type Folded =
  | { readonly kind: 'line'; readonly line: DiffLine; readonly at: number }
  | { readonly kind: 'gap'; readonly count: number; readonly at: number };

const SHORT = 40;
const CONTEXT = 3;

/** The changed lines with a few lines of context, so that rendering costs only what changed; a text of `short` lines whole. */
export function foldUnchanged(lines: readonly DiffLine[], short = SHORT): Folded[] {
  const nearChanges = lines.length <= short ? null : linesNearChanges(lines);
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

const LONGEST_PART = { same: 1200, removed: 6000, added: 6000 } as const;
const EXCERPT_LENGTH = { same: 400, removed: 2500, added: 2500 } as const;

/** A part that is too long to read, without its middle. */
function shorten(part: DiffPart): DiffPart {
  if (part.text.length <= LONGEST_PART[part.kind]) return part;
  const excerpt = EXCERPT_LENGTH[part.kind];
  const left = part.text.length - 2 * excerpt;
  return {
    ...part,
    text: `${part.text.slice(0, excerpt)} ${valueMessages.omitted(count(left))} ${part.text.slice(-excerpt)}`,
  };
}
