// Limits the traffic of a client on its socket: a leaky bucket per connection, for packets and for bytes.

/** The burst, and the refill per second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * WebSocket frames of every type: enough for a reconnect at once, then the rate at which a tab may report its presence
 * (A9).
 */
export const PACKETS: Rate = { burst: 20, perSecond: 1 };
/** Bytes on arrival: a packet with its frame has about 200 (A9). */
export const BYTES: Rate = { burst: 16 * 1024, perSecond: 1024 };

export interface TrafficLimiter {
  /** Counts this amount at the given time (ms) and returns whether it is within the limit. */
  take(now: number, amount?: number): boolean;
  /** Refunds one: a response that the server requested does not count against the client. */
  refund(): void;
}

/** A full allowance. */
export function createTrafficLimiter({ burst, perSecond }: Rate): TrafficLimiter {
  let level = 0;
  let last = -Infinity;
  return {
    take: (now, amount = 1) => {
      level = Math.max(0, level - (Math.max(0, now - last) / 1000) * perSecond) + amount;
      last = Math.max(last, now);
      return level <= burst;
    },
    refund: () => (level -= 1),
  };
}
