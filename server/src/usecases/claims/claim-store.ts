// Calls the claim lock and tolerates its loss: without the lock store, claims rely on the fence alone (LC6).
import { isSameClaim, LockStoreDown, type HeldClaim, type Holder } from '../../claims/claim-lock.ts';
import type { Services } from '../services.ts';

/** Whether the claim of this lock is not granted yet. */
export const isProvisional = (lock: Pick<Holder, 'fence'>): boolean => lock.fence === 0;

/**
 * Whether the lock belongs to the claim in the row. If so, its lease is live even if it has ended in the row: only the lock store
 * knows of renewals. Otherwise it is provisional, or its claim has ended.
 */
export const isLockOf = (
  lock: Pick<Holder, 'userId' | 'fence'>,
  row: { claimedBy?: string | null; claimFence: number; claimExpiresAt?: Date | null },
): boolean => Boolean(row.claimExpiresAt) && isSameClaim(lock, { userId: row.claimedBy, fence: row.claimFence });

/** How long an acquired lock waits for the confirmation of its claim; a crash in between blocks the item no longer than this. */
const PROBATION_MS = 10_000;

/** Calls the lock store; returns `fallback` when it does not answer. */
async function ask<T>(services: Services, question: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof LockStoreDown)) throw error;
    services.log.warn({ reason: error.message }, 'the lock store does not answer: claims rely on the fence alone');
    return fallback;
  }
}

/** A holder of an item with the end of its lease by our clock, for people to see. */
export interface HeldUntil {
  userId: string;
  fence: number;
  expiresAt: Date;
}

const heldUntil = ({ clock }: Services, { userId, fence, leftMs }: Holder): HeldUntil => ({
  ...{ userId, fence, expiresAt: new Date(clock.now().getTime() + leftMs) },
});

/** Null when the lock is acquired (or the store is down), otherwise its holder. */
export async function acquireLock(services: Services, itemId: string, userId: string): Promise<HeldUntil | null> {
  const answer = await ask(services, () => services.claims.acquire(itemId, userId, PROBATION_MS), { acquired: true });
  return answer.acquired ? null : heldUntil(services, answer.holder);
}

/** Confirms or extends the lock; null when the user does not hold it or the store is down. */
export async function extendLock(services: Services, held: HeldClaim & { ms: number }): Promise<HeldUntil | null> {
  const holder = await ask(services, () => services.claims.renew(held), null);
  return holder === null ? null : heldUntil(services, holder);
}

/**
 * Binds the lock to a claim that the database has granted or renewed. A lost lock is acquired again; one with an older fence is
 * replaced, because the database has granted the item since. The fence protects the item in any case.
 */
export async function confirmLock(services: Services, held: HeldClaim & { ms: number }): Promise<void> {
  if ((await extendLock(services, held)) !== null) return;
  const holder = await acquireLock(services, held.itemId, held.userId);
  if (holder !== null && holder.fence < held.fence) {
    await releaseLock(services, { itemId: held.itemId, userId: holder.userId, fence: holder.fence });
    await acquireLock(services, held.itemId, held.userId);
  }
  await extendLock(services, held);
}

/** The same for an item that was free a moment ago: its lock is most likely free too, so it is acquired first. */
export async function confirmFreshLock(services: Services, held: HeldClaim & { ms: number }): Promise<void> {
  const holder = await acquireLock(services, held.itemId, held.userId);
  if (holder === null) await extendLock(services, held);
  else await confirmLock(services, held);
}

export function releaseLock(services: Services, held: HeldClaim): Promise<boolean> {
  return ask(services, () => services.claims.release(held), false);
}

/** Live holders by item; empty when the store is down. */
export async function lockHolders(
  services: Services,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, HeldUntil>> {
  const holders = await ask(services, () => services.claims.holders(itemIds), new Map<string, Holder>());
  return new Map([...holders].map(([itemId, holder]) => [itemId, heldUntil(services, holder)]));
}
