// The statuses of the items that arrived, in the order of the bar, with shares that add up to 100%.
import { shares } from '#lib/format/format.ts';
import type { Analytics } from '@countersign/shared/schemas/analytics';
import type { ItemStatus } from '@countersign/shared/enums';

/** Decided by rules, decided by people, still waiting. */
const ORDER = [
  'auto_approved',
  'approved',
  'rejected',
  'escalated_final',
  'withdrawn',
  'expired',
  'queued',
  'escalated',
] as const satisfies readonly ItemStatus[];

export interface MixPart {
  key: ItemStatus;
  n: number;
  /** In percent. The bar and its table show it; the sentence too, while no auto-approved item was revised. */
  share: string;
}

/** The statuses that any item has. */
export function mixOf(mix: Analytics['mix']): MixPart[] {
  const parts = ORDER.map((key) => ({ key, n: mix[key] ?? 0 })).filter(({ n }) => n > 0);
  const texts = shares(parts.map(({ n }) => n));
  return parts.map((part, at) => ({ ...part, share: texts[at]! }));
}
