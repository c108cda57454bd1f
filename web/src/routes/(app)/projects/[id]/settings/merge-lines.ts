// Merges two versions of one text: changes of one side are applied, conflicting ones are marked, one above the other.
import { keepLineEnds, withLf } from '#lib/format/line-endings.ts';
import { diffArrays } from 'diff/lib/diff/array.js';

/** A part of the merged text. `both` was changed by both, to different lines. */
export type MergeSegment = { kind: 'settled'; lines: string[] } | { kind: 'both'; theirs: string[]; mine: string[] };

/** Lines `from` up to `to` of the old text became these. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

/** Above these limits the texts count as one change from end to end, in ms and edits. */
const LIMITS = { timeout: 200, maxEditLength: 4000 };

/** Three-way merge by lines: `was` is the common base. */
export function mergeLines(was: string, mine: string, theirs: string): MergeSegment[] {
  const old = was.split('\n');
  const [my, their] = [hunksOf(old, mine.split('\n')), hunksOf(old, theirs.split('\n'))];
  const segments: MergeSegment[] = [];
  let at = 0;
  for (const region of regionsOf(my, their)) {
    settle(segments, old.slice(at, region.from));
    settle(segments, mergeRegion(old, region));
    at = region.to;
  }
  settle(segments, old.slice(at));
  return segments;
}

/** Adds to the settled lines at the end, or begins a new part. */
function settle(segments: MergeSegment[], part: string[] | MergeSegment): void {
  const last = segments.at(-1);
  if (!Array.isArray(part)) segments.push(part);
  else if (part.length === 0) return;
  else if (last?.kind === 'settled') last.lines.push(...part);
  else segments.push({ kind: 'settled', lines: [...part] });
}

function hunksOf(old: string[], now: string[]): Hunk[] {
  const changes = diffArrays(old, now, LIMITS);
  if (changes === undefined) return [{ from: 0, to: old.length, lines: now }];
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | null = null;
  for (const { value, added, removed } of changes) {
    if (!added && !removed) {
      at += value.length;
      open = null;
      continue;
    }
    if (open === null) hunks.push((open = { from: at, to: at, lines: [] }));
    if (added) open.lines.push(...value);
    else open.to = at += value.length;
  }
  return hunks;
}

interface Region {
  from: number;
  to: number;
  mine: Hunk[];
  theirs: Hunk[];
}

/** Overlapping changes form one region. Neighbours that merely replace adjacent lines do not overlap. */
function regionsOf(mine: Hunk[], theirs: Hunk[]): Region[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, side: 'mine' as const })),
    ...theirs.map((hunk) => ({ hunk, side: 'theirs' as const })),
  ].sort((a, b) => a.hunk.from - b.hunk.from || a.hunk.to - b.hunk.to);
  const regions: Region[] = [];
  for (const { hunk, side } of all) {
    let region = regions.at(-1);
    if (region === undefined || !meets(region, hunk)) {
      region = { from: hunk.from, to: hunk.to, mine: [], theirs: [] };
      regions.push(region);
    }
    region.to = Math.max(region.to, hunk.to);
    region[side].push(hunk);
  }
  return regions;
}

/** An insertion overlaps everything it touches, because the order of the two is undefined. */
function meets(region: Region, hunk: Hunk): boolean {
  if (hunk.from < region.to) return true;
  return hunk.from === region.to && (hunk.from === hunk.to || region.from === region.to);
}

function mergeRegion(old: string[], region: Region): string[] | MergeSegment {
  const mine = applied(old, region, region.mine);
  const theirs = applied(old, region, region.theirs);
  if (region.theirs.length === 0 || sameLines(mine, theirs)) return mine;
  if (region.mine.length === 0) return theirs;
  return { kind: 'both', theirs, mine };
}

function applied(old: string[], { from, to }: Region, hunks: Hunk[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    lines.push(...old.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...lines, ...old.slice(at, to)];
}

const sameLines = (a: string[], b: string[]) => a.length === b.length && a.every((line, index) => line === b[index]);

/** The lines that mark a conflict. Whole lines, so that no rule is taken for one by chance. */
export const MARKS = { theirs: '<<<<<<< they saved', between: '=======', mine: '>>>>>>> yours' } as const;

/** The merged text; conflicts are between marks, to be resolved by hand. */
export const markedText = (segments: readonly MergeSegment[]): string =>
  segments
    .flatMap((segment) =>
      segment.kind === 'settled'
        ? segment.lines
        : [MARKS.theirs, ...segment.theirs, MARKS.between, ...segment.mine, MARKS.mine],
    )
    .join('\n');

/** A marked conflict in a text, by its lines: from the first mark up to and including the last. */
export interface Marked {
  from: number;
  to: number;
  theirs: string[];
  mine: string[];
}

/** The marked conflicts of a text, wherever editing has moved them. */
export function marksIn(text: string): Marked[] {
  const lines = linesOf(text);
  const found: Marked[] = [];
  for (let from = lines.indexOf(MARKS.theirs); from !== -1; from = lines.indexOf(MARKS.theirs, from + 1)) {
    const between = lines.indexOf(MARKS.between, from);
    const to = lines.indexOf(MARKS.mine, between);
    if (between === -1 || to === -1) continue;
    found.push({ from, to, theirs: lines.slice(from + 1, between), mine: lines.slice(between + 1, to) });
  }
  return found;
}

/** The lines of a text without their endings: a mark is recognized with any line ending. */
const linesOf = (text: string): string[] => withLf(text).split('\n');

/** Whether any mark is left, even a part of one. */
export const isMarked = (text: string): boolean =>
  linesOf(text).some((line) => line === MARKS.theirs || line === MARKS.mine);

/** Which lines of a conflict stay. */
export type ConflictChoice = 'mine' | 'theirs' | 'both';

/** Resolves one conflict: its marks are removed, the selected lines stay. */
export function resolveConflict(text: string, index: number, choice: ConflictChoice): string {
  const marked = marksIn(text)[index];
  if (marked === undefined) return text;
  const kept = { mine: marked.mine, theirs: marked.theirs, both: [...marked.theirs, ...marked.mine] }[choice];
  const lines = linesOf(text).toSpliced(marked.from, marked.to - marked.from + 1, ...kept);
  return keepLineEnds(text, lines.join('\n'));
}
