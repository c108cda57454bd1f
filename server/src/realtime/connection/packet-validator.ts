// Validates the packet sequence of a client: CONNECT once for the main namespace, then known events, and pongs that
// answer pings. Pure.
import type { ClientToServer } from '@countersign/shared/sockets';

/** An Engine.IO packet as received. */
export interface Packet {
  type: string;
  data?: unknown;
}

/** `goodbye`: it is passed on and is the last one. */
export type Verdict = 'in order' | 'goodbye' | 'out of order';

/** Every event that a client may send, as an object so that the type checker requires all of them. */
const EVENTS: Readonly<Record<keyof ClientToServer, true>> = { presence: true };

/** A CONNECT to the main namespace, with or without a payload: any other namespace starts with a slash. */
const CONNECT = /^0(?:$|\{)/;
const DISCONNECT = '1';
/**
 * An EVENT in the main namespace, as the client encodes it, starting with the name and without an acknowledgement ID.
 */
const EVENT = /^2\["(\w+)"/;

export interface PacketValidator {
  /** Validates the next packet. After an invalid one, all others are invalid too. */
  validate(packet: Packet): Verdict;
  /** The server has sent a ping: one pong is expected. */
  expectPong(): void;
}

/** The state of a connection that was just opened. */
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
