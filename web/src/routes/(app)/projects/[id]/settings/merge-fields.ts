// ST1 for a form with a Save button of its own: which fields take another owner's value, and which both changed.

interface FieldSides<T extends object> {
  /** The values that the edits began with. */
  was: T;
  /** The values in the form. */
  mine: T;
  /** The values that are saved now. */
  now: T;
}

interface MergedFields<T extends object> {
  /** The values that only others changed. */
  taken: Partial<T>;
  /** The fields that both changed, to different values: to ask about. */
  conflicts: (keyof T)[];
}

/** Merges each field by itself. `isMine`: a field that counts as edited even where it has its first value again. */
export function mergeFields<T extends object>(
  { was, mine, now }: FieldSides<T>,
  isMine: (field: keyof T) => boolean = () => false,
): MergedFields<T> {
  const merged: MergedFields<T> = { taken: {}, conflicts: [] };
  for (const field of Object.keys(mine) as (keyof T)[]) {
    if (isSame(now[field], was[field]) || isSame(now[field], mine[field])) continue;
    if (isMine(field) || !isSame(mine[field], was[field])) merged.conflicts.push(field);
    else merged.taken[field] = now[field];
  }
  return merged;
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
