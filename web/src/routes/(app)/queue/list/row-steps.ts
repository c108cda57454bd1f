// Steps through the rows of the list: to the next one after a completed item, and up or down.
import type { Entry } from '#lib/live/queue/queue-model.ts';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';

/** The next row after a completed one: below it first, then from the top. Free, or the user's own. */
export function nextRow(
  entries: readonly Entry[],
  after: string | null,
  takes: (row: ItemRow) => boolean,
): ItemRow | null {
  const at = entries.findIndex((entry) => entry.id === after);
  const turned = [...entries.slice(at + 1), ...entries.slice(0, Math.max(0, at))];
  return turned.find((entry) => entry.removal === null && takes(entry.row))?.row ?? null;
}

/** The row above or below; `step` is 1 or -1. Stops at the ends. */
export function stepRow(entries: readonly Entry[], from: string | null, step: 1 | -1): string | null {
  const at = entries.findIndex((entry) => entry.id === from);
  if (at === -1) return entries[0]?.id ?? null;
  return entries[Math.min(entries.length - 1, Math.max(0, at + step))]?.id ?? null;
}
