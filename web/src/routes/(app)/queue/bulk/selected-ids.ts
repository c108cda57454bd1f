// Sets of chosen lines: each change makes a new one, so that the page hears of it.

export type SelectedIds = ReadonlySet<string>;
export const NO_IDS: SelectedIds = new Set();

/** These and those. */
export const withIds = (ids: SelectedIds, more: Iterable<string>): SelectedIds => new Set([...ids, ...more]);

/** Only what passes; the same set when that is everything. */
export function filterIds(ids: SelectedIds, passes: (id: string) => boolean): SelectedIds {
  const left = [...ids].filter(passes);
  return left.length === ids.size ? ids : new Set(left);
}

/** Everything between two lines of a list, both included; nothing when one of them is not in it. */
export function between(order: readonly string[], a: string, b: string): readonly string[] {
  const [from, to] = [order.indexOf(a), order.indexOf(b)];
  return from === -1 || to === -1 ? [] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
}
