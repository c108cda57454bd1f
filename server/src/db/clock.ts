// The clock and the ID generator that are passed in, so that tests control time and no code reads the clock directly.
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

export interface Clock {
  now(): Date;
}

export interface Ids {
  /** A new UUID, version 7: later IDs sort later. */
  uuid(): string;
}

export const systemClock: Clock = { now: () => new Date() };

/** A system call for random bytes costs more than the rest of an ID, so one call serves many. */
const CHANCE_BYTES = 256 * 16;

/**
 * IDs in order of creation, also within a millisecond (RFC 9562, section 6.2, method 1: a counter from a random start).
 */
export function createIds(now: () => number = Date.now): Ids {
  const chance = Buffer.alloc(CHANCE_BYTES);
  let used = CHANCE_BYTES;
  let msecs = -Infinity;
  let seq = 0;
  return {
    uuid: () => {
      if (used === CHANCE_BYTES) {
        randomFillSync(chance);
        used = 0;
      }
      const random = chance.subarray(used, (used += 16));
      const at = now();
      if (at > msecs) {
        msecs = at;
        // The top bit stays free, so that the counter does not overflow within a millisecond.
        seq = random.readUInt32BE(6) >>> 1;
      } else seq += 1;
      return v7({ random, msecs, seq });
    },
  };
}

export const uuidV7: Ids = createIds();
