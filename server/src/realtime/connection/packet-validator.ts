// What a client may say when: CONNECT once for the main namespace, then events by name, and pongs that answer pings. Pure.
import type { ClientToServer } from '@countersign/shared/sockets';

/** A packet of Engine.IO as it arrived. */
export interface Packet {
  type: string;
  data?: unknown;
}

/** `goodbye`: it is let through, and it is the last one. */
export type Verdict = 'in order' | 'goodbye' | 'out of order';

/** Every event that a client may send. Written as an object so that none is missing. */
const EVENTS: Readonly<Record<keyof ClientToServer, true>> = { presence: true };

/** A CONNECT to the main namespace, with or without a payload: any other namespace begins with a slash. */
const CONNECT = /^0(?:$|\{)/;
const DISCONNECT = '1';
/** An EVENT in the main namespace, as the client writes it, with the name first and without the id of an acknowledgement. */
const EVENT = /^2\["(\w+)"/;

export interface PacketValidator {
  /** Judges the next packet. After one that is out of order nothing else is in order either. */
  validate(packet: Packet): Verdict;
  /** The server has sent a ping: one pong is in order. */
  expectPong(): void;
}

/** The dialogue of a connection that has just been opened. */
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
