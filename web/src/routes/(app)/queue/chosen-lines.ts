// Sets of chosen lines: each change makes a new one, so that the page hears of it.

export type Lines = ReadonlySet<string>;
export const NO_LINES: Lines = new Set();

/** These and those. */
export const withLines = (lines: Lines, more: Iterable<string>): Lines => new Set([...lines, ...more]);

/** Only what passes; the same set when that is everything. */
export function onlyLines(lines: Lines, passes: (id: string) => boolean): Lines {
  const left = [...lines].filter(passes);
  return left.length === lines.size ? lines : new Set(left);
}

/** Everything between two lines of a list, both included; nothing when one of them is not in it. */
export function between(order: readonly string[], a: string, b: string): readonly string[] {
  const [from, to] = [order.indexOf(a), order.indexOf(b)];
  return from === -1 || to === -1 ? [] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
}
