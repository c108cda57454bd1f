// Builds the refusals of claims and decisions, with the present holder of the item.
import type { ItemStatus } from '@countersign/shared/enums';
import { Refusal, type ErrorCode } from '@countersign/shared/errors';
import { displayName } from '../../domain/access/actor.ts';
import { isEndedByDeadline } from '../../domain/items/deadline.ts';
import { isOpen } from '../../domain/items/item.ts';
import type { Em } from '../../db/orm.ts';
import type { Item } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';

export interface HolderNow {
  userId: string;
  expiresAt: Date;
}

const DETAILS = {
  claim_held: 'Someone else has claimed this item. Claim another one, or wait until it is released.',
  claim_lost: 'Your claim has expired. Your draft is saved; claim the item again to continue.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** `claim_held` or `claim_lost`, naming the holder when there is one. */
export async function claimRefusal(em: Em, code: keyof typeof DETAILS, holder: HolderNow | null): Promise<Refusal> {
  const user = holder && (await em.findOne(User, { id: holder.userId }));
  return new Refusal(code, DETAILS[code], {
    holder: user ? { user_id: user.id, name: displayName({ name: user.name ?? null, address: user.address }) } : null,
    expires_at: holder?.expiresAt.toISOString() ?? null,
  });
}

/** DL3: the item ended, or is about to. */
export function expiredRefusal(): Refusal {
  return new Refusal('expired', 'The deadline of this item passed before it was decided. Continue with the next item.');
}

const DECIDED = 'This item is already decided. See the decision, then continue with the next item.';
/** Where no decision ended it. */
const ENDED: Partial<Record<ItemStatus, string>> = {
  withdrawn: 'The pipeline withdrew this item. No answer is needed. Continue with the next item.',
};

/** `already_decided`, in words for the status that the item has. */
const decidedRefusal = (status: ItemStatus): Refusal => new Refusal('already_decided', ENDED[status] ?? DECIDED);

/** The refusal for an item that is not open any more. */
export const closedRefusal = (item: Pick<Item, 'expiredAt' | 'decidedAt' | 'status'>): Refusal =>
  isEndedByDeadline(item) ? expiredRefusal() : decidedRefusal(item.status);

/** The refusal for an item that could not be claimed or decided, by its present state. */
export function refusalFor(em: Em, item: Item, code: keyof typeof DETAILS): Promise<Refusal> {
  if (!isOpen(item.status)) return Promise.resolve(closedRefusal(item));
  return claimRefusal(em, code, holderOf(item));
}

/** The holder of the item in the database, if any. */
export function holderOf(item: Pick<Item, 'claimedBy' | 'claimExpiresAt'>): HolderNow | null {
  return item.claimedBy && item.claimExpiresAt ? { userId: item.claimedBy, expiresAt: item.claimExpiresAt } : null;
}
