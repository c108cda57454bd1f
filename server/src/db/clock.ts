// Time and ids are passed in, so that rules can be tested in milliseconds and nothing reads a clock by itself.
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

export interface Clock {
  now(): Date;
}

export interface Ids {
  /** A new UUID, version 7: ids made later sort later. */
  uuid(): string;
}

export const systemClock: Clock = { now: () => new Date() };

/** Asking the system for chance costs more than all the rest of an id: it is asked once for many. */
const CHANCE_BYTES = 256 * 16;

/** Ids in the order in which they are made, also within a millisecond (RFC 9562, section 6.2, method 1: a counter from a random start). */
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
        // The top bit stays free, so that counting up does not wrap within any millisecond.
        seq = random.readUInt32BE(6) >>> 1;
      } else seq += 1;
      return v7({ random, msecs, seq });
    },
  };
}

export const uuidV7: Ids = createIds();
