// When a figure stands on few.

/** Below this many a rate says little, and its mark is drawn hollow. */
export const SMALL_N = 30;
