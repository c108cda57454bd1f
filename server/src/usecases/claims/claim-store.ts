// The claim lock, asked in a way that survives its loss: without the lock store work goes on under the fence alone (LC6).
import { LockStoreDown, type HeldClaim, type Holder } from '../../claims/claim-lock.ts';
import type { Services } from '../services.ts';

/** How long a taken lock waits for its claim to be confirmed; a crash in between blocks the item no longer than this. */
const PROBATION_MS = 10_000;

/** Runs a question to the lock store; `fallback` when the store cannot be reached. */
async function ask<T>(services: Services, question: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof LockStoreDown)) throw error;
    services.log.warn({ reason: error.message }, 'lock store down: claims go by the fence alone');
    return fallback;
  }
}

/** Null when the lock is now ours (or the store is down), otherwise who holds it. */
export async function acquireLock(services: Services, itemId: string, userId: string): Promise<Holder | null> {
  const answer = await ask(services, () => services.claims.acquire(itemId, userId, PROBATION_MS), { acquired: true });
  return answer.acquired ? null : answer.holder;
}

/** Confirms or extends the lock; null when it is not ours or the store is down. */
export function extendLock(services: Services, held: HeldClaim & { ms: number }) {
  return ask(services, () => services.claims.renew(held), null);
}

/**
 * Ties the lock to a claim the database has granted or renewed. A lock that was lost is taken again; one under an older
 * fence gives way, whoever's it is: the database has granted the item since. Whatever comes of it, the fence holds.
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

/** The same for an item that was free a moment ago: its lock is most likely to be had, and is asked for first. */
export async function confirmFreshLock(services: Services, held: HeldClaim & { ms: number }): Promise<void> {
  const holder = await acquireLock(services, held.itemId, held.userId);
  if (holder === null) await extendLock(services, held);
  else await confirmLock(services, held);
}

export function releaseLock(services: Services, held: HeldClaim): Promise<boolean> {
  return ask(services, () => services.claims.release(held), false);
}

/** Live holders by item; empty when the store is down. */
export function lockHolders(services: Services, itemIds: readonly string[]): Promise<Map<string, Holder>> {
  return ask(services, () => services.claims.holders(itemIds), new Map<string, Holder>());
}
