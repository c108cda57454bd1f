// The claim lock as the rest of the server sees it: who holds which item right now. The database's fence decides whose decision stands.

export interface Holder {
  userId: string;
  /** 0 while a claim is being confirmed. */
  fence: number;
  expiresAt: Date;
}

/** A lease on one item, as its holder names it: the fence is the number the database gave with the claim. */
export interface HeldClaim {
  itemId: string;
  userId: string;
  fence: number;
}

/** Every call throws `LockStoreDown` within half a second when the store cannot be asked; the call may then still have taken effect. */
export interface ClaimLock {
  /** Takes the lock if nobody holds it, on probation for `ms`; a claim confirms it by `renew` with its fence. Never waits for a holder. */
  acquire(
    itemId: string,
    userId: string,
    ms: number,
  ): Promise<{ acquired: true } | { acquired: false; holder: Holder }>;
  /** Extends it to `ms` from now (and, on probation, confirms it with the fence). null when this user does not hold it with this fence. */
  renew(held: HeldClaim & { ms: number }): Promise<Holder | null>;
  /** Gives it back if this user holds it with this fence (or on probation); false when not. */
  release(held: HeldClaim): Promise<boolean>;
  /** Live holders of the given items; free ones are absent. */
  holders(itemIds: readonly string[]): Promise<Map<string, Holder>>;
  /** Ends the lock's own connection; held locks run out by themselves. */
  close(): Promise<void>;
}

/** The lock store cannot be asked. Claims then go by the fence alone. */
export class LockStoreDown extends Error {
  override readonly name = 'LockStoreDown';
}
