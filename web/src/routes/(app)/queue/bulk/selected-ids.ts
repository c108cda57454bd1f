// Immutable sets of selected rows: each change returns a new set, so that the page reacts to it.

export type SelectedIds = ReadonlySet<string>;
export const NO_IDS: SelectedIds = new Set();

/** The union of both. */
export const withIds = (ids: SelectedIds, more: Iterable<string>): SelectedIds => new Set([...ids, ...more]);

/** Only the ids that pass; the same set when all do. */
export function filterIds(ids: SelectedIds, passes: (id: string) => boolean): SelectedIds {
  const left = [...ids].filter(passes);
  return left.length === ids.size ? ids : new Set(left);
}

/** Everything between two rows of a list, both included; empty when one of them is not in it. */
export function between(order: readonly string[], a: string, b: string): readonly string[] {
  const [from, to] = [order.indexOf(a), order.indexOf(b)];
  return from === -1 || to === -1 ? [] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
}
