// The claim lock: the interface to who holds which item now. The database's fence decides whose decision counts.

export interface Holder {
  userId: string;
  /** 0 while a claim is being confirmed. */
  fence: number;
  /** What is left of the lease, in milliseconds: processes and the database add it to clocks of their own. */
  leftMs: number;
}

/** Whether a lock was taken for this claim: a later claim of the same person has another fence. */
export const isSameClaim = (
  lock: Pick<Holder, 'userId' | 'fence'>,
  claim: { userId: string | null | undefined; fence: number },
): boolean => lock.userId === claim.userId && lock.fence === claim.fence;

/** A lease on one item as its holder identifies it: the fence is the number that the database gave with the claim. */
export interface HeldClaim {
  itemId: string;
  userId: string;
  fence: number;
}

/**
 * Every call throws `LockStoreDown` within half a second when the store does not answer; the call may still have taken effect.
 */
export interface ClaimLock {
  /** Acquires a free lock provisionally for `ms`; `renew` with the fence of the claim confirms it. Never waits for a holder. */
  acquire(
    itemId: string,
    userId: string,
    ms: number,
  ): Promise<{ acquired: true } | { acquired: false; holder: Holder }>;
  /** Extends the lock to `ms` from now and confirms a provisional one. Null when this user does not hold it with this fence. */
  renew(held: HeldClaim & { ms: number }): Promise<Holder | null>;
  /** Releases the lock if this user holds it with this fence or provisionally; false otherwise. */
  release(held: HeldClaim): Promise<boolean>;
  /** Live holders of the given items; free items are absent. */
  holders(itemIds: readonly string[]): Promise<Map<string, Holder>>;
  /** Closes the lock's own connection; held locks expire by their lease. */
  close(): Promise<void>;
}

/** The lock store does not answer. Claims then rely on the fence alone. */
export class LockStoreDown extends Error {
  override readonly name = 'LockStoreDown';
}
