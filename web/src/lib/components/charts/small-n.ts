// The threshold for figures with a small sample.

/** Below this many a rate is uncertain, and its mark is drawn hollow. */
export const SMALL_N = 30;
