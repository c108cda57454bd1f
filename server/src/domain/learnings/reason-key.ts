// Rule CT1: from which similarity on a reason joins a cluster. The database computes it.

/**
 * CT1: from this similarity on, 0 to 1, a reason joins a cluster. It is the greater of two measures of PostgreSQL's pg_trgm:
 * `similarity`, and the mean of `strict_word_similarity` both ways. The value was chosen on labelled reasons
 * (`labelled-reasons.ts`): a lower one mixes meanings, which is worse than leaving two clusters for a supervisor to merge.
 */
export const CLOSE = 0.65;
