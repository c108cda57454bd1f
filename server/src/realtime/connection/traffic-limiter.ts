// How much a client may send over its socket: a leaky bucket per connection, for packets and for bytes.

/** So much at once, and so much more with every second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** WebSocket frames of every kind: a reconnect's worth at once, then as often as a tab may say where it is (A9). */
export const PACKETS: Rate = { burst: 20, perSecond: 1 };
/** Bytes as they arrive: a packet with its frame has about 200 (A9). */
export const BYTES: Rate = { burst: 16 * 1024, perSecond: 1024 };

export interface TrafficLimiter {
  /** Counts this much at the given time (ms) and says whether it is within bounds. */
  take(now: number, amount?: number): boolean;
  /** Takes one off: what the server asked for is not counted against the client. */
  refund(): void;
}

/** An allowance that was not used yet. */
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
