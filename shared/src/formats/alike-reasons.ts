// Suggests which clusters of reasons mean the same (CT5). A supervisor decides; nothing merges by itself.
import { keyOf } from './reason-key.ts';

/**
 * CT5: from this likeness on, 0 to 1, two reasons look alike. Chosen on labelled reasons: lower than the similarity from which a
 * reason joins a cluster by itself (CT1), because a person confirms it.
 */
export const ALIKE = 0.6;
/** Below this likeness two words have nothing to do with each other. */
const WORDS_ALIKE = 0.25;
/** The most common reasons of a cluster that are compared. */
const REASONS_COMPARED = 3;
/** The largest clusters that are compared. */
export const CLUSTERS_COMPARED = 60;

interface Named {
  id: string;
  name: string;
  size: number;
  reasons: readonly { reason: string }[];
}

/** Clusters that look alike: `others` can be merged into `target`. */
export interface MergeSuggestion {
  target: string;
  others: string[];
}

/**
 * Groups of clusters that look alike, largest first. A reason of the project's list is the target of its group, and two listed
 * reasons are never in one, because the list distinguishes them (CT2). Each cluster is in at most one group.
 */
export function suggestMerges(clusters: readonly Named[], listed: readonly string[]): MergeSuggestion[] {
  const keys = new Set(listed.map(keyOf));
  const compared = clusters.slice(0, CLUSTERS_COMPARED).map(({ id, name, size, reasons }) => {
    const texts = [...new Set([name, ...reasons.slice(0, REASONS_COMPARED).map(({ reason }) => reason)].map(keyOf))];
    return { id, size, isListed: texts.some((text) => keys.has(text)), words: texts.map(wordsOf) };
  });
  const known = new Map<string, number>();
  const targets = compared.toSorted((a, b) => Number(b.isListed) - Number(a.isListed) || b.size - a.size);
  const used = new Set<string>();
  return targets
    .flatMap((target): (MergeSuggestion & { size: number })[] => {
      if (used.has(target.id)) return [];
      const others = compared.filter(
        (other) =>
          other !== target && !used.has(other.id) && !other.isListed && areAlike(target.words, other.words, known),
      );
      if (others.length === 0) return [];
      for (const { id } of [target, ...others]) used.add(id);
      const size = others.reduce((sum, other) => sum + other.size, target.size);
      return [{ target: target.id, others: others.map(({ id }) => id), size }];
    })
    .sort((a, b) => b.size - a.size)
    .map(({ target, others }) => ({ target, others }));
}

/** The likeness of two reasons, 0 to 1, regardless of the order of their words. */
export const likeness = (a: string, b: string): number => likenessOf(wordsOf(keyOf(a)), wordsOf(keyOf(b)), new Map());

const wordsOf = (key: string): string[] => [...new Set(key.split(' '))];

const areAlike = (a: readonly string[][], b: readonly string[][], known: Map<string, number>): boolean =>
  a.some((one) => b.some((other) => likenessOf(one, other, known) >= ALIKE));

/** Dice's coefficient over words, where each word counts as much as it resembles its counterpart. */
function likenessOf(a: readonly string[], b: readonly string[], known: Map<string, number>): number {
  const left = [...b];
  let sum = 0;
  for (const word of a) {
    const scores = left.map((other) => wordLikeness(word, other, known));
    const best = Math.max(0, ...scores);
    if (best < WORDS_ALIKE) continue;
    left.splice(scores.indexOf(best), 1);
    sum += best;
  }
  return (2 * sum) / (a.length + b.length);
}

/** Dice's coefficient over trigrams, with the start of a word counted twice as in PostgreSQL's pg_trgm. */
function wordLikeness(a: string, b: string, known: Map<string, number>): number {
  if (a === b) return 1;
  const pair = a < b ? `${a} ${b}` : `${b} ${a}`;
  const before = known.get(pair);
  if (before !== undefined) return before;
  const [one, other] = [trigramsOf(a), trigramsOf(b)];
  const shared = [...one].filter((each) => other.has(each)).length;
  const found = (2 * shared) / (one.size + other.size);
  known.set(pair, found);
  return found;
}

function trigramsOf(word: string): Set<string> {
  const padded = `  ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}
