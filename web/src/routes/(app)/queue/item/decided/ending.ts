// How an item ended without a decision of anybody.
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';

/** `expired`: its deadline ended it, with this status or as rejected. Null for any other item. */
export function endingOf({
  status,
  expired_at: expiredAt,
  decision,
}: Pick<ItemDetail, 'status' | 'expired_at' | 'decision'>): 'withdrawn' | 'expired' | null {
  if (status === 'withdrawn') return 'withdrawn';
  return expiredAt !== null && decision === null ? 'expired' : null;
}
