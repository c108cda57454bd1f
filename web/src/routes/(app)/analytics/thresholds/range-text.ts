// The text of an interval of items.
import { count } from '#lib/format/format.ts';

/** Whole items, rounded outwards: an interval may not promise more than it has. */
const bounds = ({ low, high }: { low: number; high: number }) => ({
  low: Math.floor(low + 1e-9),
  high: Math.ceil(high - 1e-9),
});

/** `3–9`, or one number when both ends are equal. */
export function rangeText(interval: { low: number; high: number }): string {
  const { low, high } = bounds(interval);
  return low === high ? count(low) : `${count(low)}–${count(high)}`;
}
