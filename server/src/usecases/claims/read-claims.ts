// Reads the live claims of items: the holders from the database, the latest expiry from the lock store.
import type { Item } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/access/actor.ts';
import { isLockOf, lockHolders } from './claim-store.ts';
import type { Services } from '../services.ts';

/** Who holds an item, and until when. */
export interface ClaimView {
  userId: string;
  name: string;
  expiresAt: Date;
}

/** The claims of those items that have one, by item id. */
export async function readClaims(services: Services, items: readonly Item[]): Promise<Map<string, ClaimView>> {
  const claimed = items.filter((item) => item.claimedBy && item.claimExpiresAt);
  if (claimed.length === 0) return new Map();
  const held = await lockHolders(
    services,
    claimed.map((item) => item.id),
  );
  const ids = [...new Set(claimed.map((item) => item.claimedBy as string))];
  const users = await services.db.read((em) => em.find(User, { id: { $in: ids } }));
  const names = new Map(
    users.map((user) => [user.id, displayName({ name: user.name ?? null, address: user.address })]),
  );
  return new Map(
    claimed.map((item) => {
      const userId = item.claimedBy as string;
      const lock = held.get(item.id);
      const renewed = lock !== undefined && isLockOf(lock, item) ? lock.expiresAt : null;
      const expiresAt = renewed ?? (item.claimExpiresAt as Date);
      return [item.id, { userId, name: names.get(userId) ?? '', expiresAt }];
    }),
  );
}
