// Limits the traffic of a client on its socket, in packets, frames and bytes: a leaky bucket per connection.
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

/** The first two bytes of a frame determine the length of the rest of its header. */
const START = 2;
const MASK = 4;
/** Additional length bytes, by the short length that announces them. */
const LONGER: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

/**
 * Returns a function that takes the next bytes and returns how many frames start in them: data, fragments and control
 * frames alike. Protocol violations are counted normally; the parser refuses them.
 */
export function createFrameCounter(): (chunk: Uint8Array) => number {
  /** The header being read, and the remaining payload to skip. */
  let header: number[] = [];
  let payload = 0;

  return (chunk) => {
    let begun = 0;
    for (let at = 0; at < chunk.length;) {
      if (payload > 0) {
        const passed = Math.min(payload, chunk.length - at);
        payload -= passed;
        at += passed;
        continue;
      }
      if (header.length === 0) begun += 1;
      header.push(chunk[at] ?? 0);
      at += 1;
      if (header.length < START || header.length < sizeOfHeader(header)) continue;
      payload = sizeOfPayload(header);
      header = [];
    }
    return begun;
  };
}

const shortLength = (header: readonly number[]) => (header[1] ?? 0) & 0x7f;
const isMasked = (header: readonly number[]) => ((header[1] ?? 0) & 0x80) !== 0;

function sizeOfHeader(header: readonly number[]): number {
  return START + (LONGER[shortLength(header)] ?? 0) + (isMasked(header) ? MASK : 0);
}

function sizeOfPayload(header: readonly number[]): number {
  const longer = LONGER[shortLength(header)];
  if (longer === undefined) return shortLength(header);
  return header.slice(START, START + longer).reduce((length, byte) => length * 256 + byte, 0);
}
