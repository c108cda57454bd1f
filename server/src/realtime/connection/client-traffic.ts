// The rules for what a client sends on its socket: how much at once and per second, and packets in which order. Pure.

import type { ClientToServer } from '@countersign/shared/sockets';

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
  /**
   * Counts this amount at the given time, in ms of a clock that never goes back, and returns whether it is within the limit.
   */
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
      level = Math.max(0, level - ((now - last) / 1000) * perSecond) + amount;
      last = now;
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

/** An Engine.IO packet as received. */
export interface Packet {
  type: string;
  data?: unknown;
}

/** `goodbye`: it is passed on and is the last one. */
type Verdict = 'in order' | 'goodbye' | 'out of order';

/** Every event that a client may send, as an object so that the type checker requires all of them. */
const EVENTS: Readonly<Record<keyof ClientToServer, true>> = { presence: true };

/** A CONNECT to the main namespace, with or without a payload: any other namespace starts with a slash. */
const CONNECT = /^0(?:$|\{)/;
const DISCONNECT = '1';
/**
 * An EVENT in the main namespace, as the client encodes it, starting with the name and without an acknowledgement ID.
 */
const EVENT = /^2\["(\w+)"/;

interface PacketValidator {
  /** Validates the next packet. After an invalid one, all others are invalid too. */
  validate(packet: Packet): Verdict;
  /** The server has sent a ping: one pong is expected. */
  expectPong(): void;
}

/**
 * The state of a connection that was just opened: it takes CONNECT once for the main namespace, then known events, and
 * pongs that answer pings.
 */
export function createPacketValidator(): PacketValidator {
  let state: 'new' | 'connected' | 'over' = 'new';
  let expectedPongs = 0;

  const validateMessage = (text: string): Verdict => {
    if (state === 'new' && CONNECT.test(text)) {
      state = 'connected';
      return 'in order';
    }
    if (state !== 'connected') return 'out of order';
    if (text === DISCONNECT) {
      state = 'over';
      return 'goodbye';
    }
    return Object.hasOwn(EVENTS, EVENT.exec(text)?.[1] ?? '') ? 'in order' : 'out of order';
  };

  const validate = ({ type, data }: Packet): Verdict => {
    if (state === 'over') return 'out of order';
    if (type === 'message' && typeof data === 'string') return validateMessage(data);
    if (type !== 'pong' || expectedPongs === 0) return 'out of order';
    expectedPongs -= 1;
    return 'in order';
  };

  return {
    validate: (packet) => {
      const verdict = validate(packet);
      if (verdict === 'out of order') state = 'over';
      return verdict;
    },
    expectPong: () => (expectedPongs += 1),
  };
}
