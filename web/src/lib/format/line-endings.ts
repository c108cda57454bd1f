// Preserves the line endings of a text while a field, which turns each of them into LF, edits it. Pure.

const LINE_END = /\r\n|\r|\n/g;

/** A text as a browser's text field holds it: every line ends in LF. */
export const withLf = (text: string): string => text.replace(LINE_END, '\n');

/**
 * The typed text with the line endings of the original: an unchanged line retains its own (CR LF, LF or CR), a new one gets those
 * of the lines around it. The text of the original returns the original, character for character.
 */
export function keepLineEnds(original: string, typed: string): string {
  const before: string[] = original.match(LINE_END) ?? [];
  const after = withLf(typed);
  const [first = '\n'] = before;
  if (before.every((end) => end === first)) return first === '\n' ? after : after.replaceAll('\n', first);
  const ends = filled(endsOf({ text: withLf(original), ends: before }, after), first);
  let [at, last] = [0, ''];
  return after.replaceAll('\n', (_, offset: number) => {
    const end = ends[at++] ?? first;
    // CR and LF of two lines that became adjacent would form one line ending.
    const met = last === '\r' && end === '\n' && after[offset - 1] === '\n';
    return (last = met ? last : end);
  });
}

/** A text with LF line endings, together with its original endings. */
interface Ended {
  readonly text: string;
  readonly ends: readonly string[];
}

/** The original of every line ending; null for new ones. */
type Ends = (string | null)[];

function endsOf(old: Ended, typed: string): Ends {
  const { head, tail } = sameAround(old.text, typed);
  const before = count(old.text.slice(0, head));
  const behind = count(old.text.slice(old.text.length - tail));
  const kept = {
    text: old.text.slice(head, old.text.length - tail),
    ends: old.ends.slice(before, old.ends.length - behind),
  };
  const middle = changedEnds(kept, typed.slice(head, typed.length - tail));
  return [...old.ends.slice(0, before), ...middle, ...old.ends.slice(old.ends.length - behind)];
}

function changedEnds(old: Ended, typed: string): Ends {
  const wanted = count(typed);
  if (wanted === 0) return [];
  const [lines, after] = [old.text.split('\n'), typed.split('\n')];
  const anchors = old.ends.length === 0 ? [] : anchorsOf(lines, after);
  if (anchors.length === 0) return Array.from({ length: wanted }, (_, at) => old.ends[at] ?? null);
  const found: Ends = [];
  let [from, start] = [0, 0];
  for (const [line, at] of [...anchors, [lines.length - 1, after.length - 1] as const]) {
    const piece = { text: lines.slice(from, line + 1).join('\n'), ends: old.ends.slice(from, line) };
    found.push(...endsOf(piece, after.slice(start, at + 1).join('\n')));
    if (at < after.length - 1) found.push(old.ends[line] ?? null);
    [from, start] = [line + 1, at + 1];
  }
  return found;
}

/** The number of characters two texts share at their beginning and, after those, at their end. */
function sameAround(one: string, other: string): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** Lines that occur once in both, in an order common to both: the parts between them are compared separately. */
function anchorsOf(lines: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const places = onceIn(after);
  const pairs = [...onceIn(lines)].flatMap(([line, from]): [number, number][] => {
    const at = places.get(line);
    // The first and the last piece may be only a part of a line.
    const whole = from > 0 && from < lines.length - 1 && at !== undefined && at > 0 && at < after.length - 1;
    return whole ? [[from, at]] : [];
  });
  return rising(pairs);
}

function onceIn(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const often = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) often.add(line);
    places.set(line, at);
  }
  for (const line of often) places.delete(line);
  return places;
}

/** The longest run of pairs, in order of the first, in which the second rises too. */
function rising(pairs: readonly [number, number][]): (readonly [number, number])[] {
  const ordered = pairs.toSorted(([one], [other]) => one - other);
  /** For each length the pair that ends such a run lowest, and for each pair its predecessor. */
  const lowest: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, [, at]] of ordered.entries()) {
    let [low, high] = [0, lowest.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ordered[lowest[middle] ?? 0]?.[1] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    previous[index] = lowest[low - 1];
    lowest[low] = index;
  }
  const run: (readonly [number, number])[] = [];
  for (let index = lowest.at(-1); index !== undefined; index = previous[index]) {
    const pair = ordered[index];
    if (pair !== undefined) run.unshift(pair);
  }
  return run;
}

/** New line endings equal the one before them, or the next one where there is none before. */
function filled(ends: Ends, otherwise: string): string[] {
  let last = ends.find((end) => end !== null) ?? otherwise;
  return ends.map((end) => (last = end ?? last));
}

function count(text: string): number {
  let found = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) found += 1;
  return found;
}
