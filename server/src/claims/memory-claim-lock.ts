// The claim lock within one process, for running without Redis.
import type { ClaimLock, HeldClaim, Holder } from './claim-lock.ts';

export interface MemoryClaimLock extends ClaimLock {
  /** How many entries the map has, expired ones included. */
  size(): number;
}

interface Clock {
  now(): Date;
}

/** Below this many entries, expired ones are not swept. */
const SMALL = 64;

/** Leases end by the given clock. Expired entries do not count and are swept: at most twice the live ones, or 64, remain. */
export function createMemoryClaimLock(clock: Clock): MemoryClaimLock {
  const leases = createLeases(clock);

  function holds({ itemId, userId, fence }: HeldClaim): boolean {
    const holder = leases.live(itemId);
    return holder?.userId === userId && (holder.fence === fence || holder.fence === 0);
  }

  return {
    async acquire(itemId, userId, ms) {
      const holder = leases.live(itemId);
      if (holder !== undefined) return { acquired: false, holder };
      leases.put({ itemId, userId, fence: 0, ms });
      return { acquired: true };
    },
    async renew(held) {
      return holds(held) ? leases.put(held) : null;
    },
    async release(held) {
      return holds(held) && leases.drop(held.itemId);
    },
    async holders(itemIds) {
      const found = itemIds.flatMap((itemId): [string, Holder][] => {
        const holder = leases.live(itemId);
        return holder === undefined ? [] : [[itemId, holder]];
      });
      return new Map(found);
    },
    async close() {
      leases.clear();
    },
    size: leases.size,
  };
}

function createLeases(clock: Clock) {
  /** `endsAt` in ms since the epoch. */
  const entries = new Map<string, { userId: string; fence: number; endsAt: number }>();
  let sweepAt = SMALL;

  function live(itemId: string): Holder | undefined {
    const entry = entries.get(itemId);
    if (entry === undefined) return undefined;
    const { userId, fence, endsAt } = entry;
    const leftMs = endsAt - clock.now().getTime();
    if (leftMs > 0) return { userId, fence, leftMs };
    entries.delete(itemId);
    return undefined;
  }

  /** Runs each time the entries have doubled, so its cost per claim stays constant. */
  function sweep(): void {
    for (const itemId of [...entries.keys()]) live(itemId);
    sweepAt = Math.max(SMALL, entries.size * 2);
  }

  function put({ itemId, userId, fence, ms }: HeldClaim & { ms: number }): Holder {
    if (entries.size >= sweepAt) sweep();
    entries.set(itemId, { userId, fence, endsAt: clock.now().getTime() + ms });
    return { userId, fence, leftMs: ms };
  }

  return {
    live,
    put,
    drop: (itemId: string) => entries.delete(itemId),
    clear: () => entries.clear(),
    size: () => entries.size,
  };
}
