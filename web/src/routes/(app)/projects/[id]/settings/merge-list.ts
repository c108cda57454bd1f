// Merges two versions of one list: additions and removals of both sides are applied, and a changed order stays.

/** The identity of an entry: flags are compared as routing compares them (RT1). */
export type KeyOf = (entry: string) => string;

export const exactly: KeyOf = (entry) => entry.trim();
export const asFlag: KeyOf = (entry) => entry.trim().normalize('NFC').toLowerCase();

interface Sides {
  was: readonly string[];
  mine: readonly string[];
  theirs: readonly string[];
}

/** Three-way merge of two lists without duplicates. Where both changed the order, mine counts. */
export function mergeList({ was, mine, theirs }: Sides, keyOf: KeyOf = exactly): string[] {
  const [old, my, their] = [was, mine, theirs].map((list) => new Set(list.map(keyOf)));
  const has = (set: Set<string> | undefined, entry: string) => set?.has(keyOf(entry)) === true;
  const stays = (entry: string) => (has(old, entry) ? has(my, entry) && has(their, entry) : true);
  const moved = !sameOrder(was, mine, keyOf);
  const [first, second] = moved ? [mine, theirs] : [theirs, mine];
  const merged = unlike(first.filter(stays), keyOf);
  insertMissing(merged, second.filter(stays), keyOf);
  return merged;
}

/** Whether the common entries of both lists have the same order. */
function sameOrder(one: readonly string[], other: readonly string[], keyOf: KeyOf): boolean {
  const [a, b] = [one.map(keyOf), other.map(keyOf)];
  const common = a.filter((key) => b.includes(key));
  return b.filter((key) => a.includes(key)).every((key, index) => key === common[index]);
}

function unlike(entries: readonly string[], keyOf: KeyOf): string[] {
  const keys = entries.map(keyOf);
  return entries.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/**
 * Inserts entries missing in `merged` after their predecessor, and after what the other side inserted there: that is saved
 * already.
 */
function insertMissing(merged: string[], others: readonly string[], keyOf: KeyOf): void {
  const keys = new Set(others.map(keyOf));
  const isForeign = (entry: string | undefined) => entry !== undefined && !keys.has(keyOf(entry));
  let after = -1;
  for (const entry of others) {
    const at = merged.findIndex((known) => keyOf(known) === keyOf(entry));
    if (at === -1) {
      while (isForeign(merged[after + 1])) after += 1;
      merged.splice(after + 1, 0, entry);
    }
    after = at === -1 ? after + 1 : at;
  }
}
