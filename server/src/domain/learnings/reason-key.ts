// Rule CT1: what of a reason is compared when it is asked whether two mean the same. How close they are is for the database to say.

/** Words that carry no meaning of a reason. Other languages have theirs, which then count: their reasons join a little less. */
const EMPTY = new Set(
  'a an the it its is are was were be been in on of to this that there has have had too also and again so one here very used given'.split(
    ' ',
  ),
);

/** CT4: so many characters of a key are compared, so that no reason is dearer to compare than this. */
export const KEY_LENGTH = 200;

/**
 * CT1: a reason without marks, accents, upper case and empty words, in the order it was written. One of empty words alone keeps
 * them. Reasons with the same key are the same reason. At most `KEY_LENGTH` characters.
 */
export function keyOf(reason: string): string {
  const plain = reason
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/['’]/g, '')
    .toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const telling = words.filter((word) => !EMPTY.has(word));
  // Where it is nothing but signs they are all there is to compare.
  const key = (telling.length > 0 ? telling : words).join(' ') || reason.trim();
  return Array.from(key).slice(0, KEY_LENGTH).join('').trimEnd();
}

/**
 * CT1: from this closeness on, 0 to 1, a reason joins a cluster. Closeness is the greater of two measures of PostgreSQL's pg_trgm:
 * `similarity`, and the mean of `strict_word_similarity` both ways. Chosen on labelled reasons (`labelled-reasons.ts`): lower
 * mixes meanings, which is worse than to leave two clusters for a supervisor to merge.
 */
export const CLOSE = 0.65;
