// Estimates the room that plot labels need, so that none is cut off at the edge.

/** Pixels of a character at 12 px, rather too many: digits have one width, punctuation is narrow. */
const CHARACTER = 7.6;
const NARROW = 4.2;

/** The width of a label in pixels: a little too much for figures, about right for words. */
export const widthOf = (label: string): number =>
  [...label].reduce((sum, character) => sum + (/[.,:;'\s ]/u.test(character) ? NARROW : CHARACTER), 0);

/** Room for the widest of these labels and `gap` pixels beside it, at least `least`. */
export const roomFor = (labels: readonly string[], { gap = 8, least = 0 } = {}): number =>
  Math.max(least, Math.ceil(Math.max(0, ...labels.map(widthOf)) + gap));
