// Tests what a client may send on its socket: a burst, a rate, frames in any chunks, packets in order.
import { expect, it, describe } from 'vitest';
import fc from 'fast-check';
import {
  type TrafficLimiter,
  BYTES,
  createTrafficLimiter,
  PACKETS,
  type Rate,
  createFrameCounter,
  createPacketValidator,
  type Packet,
} from './client-traffic.ts';

const { burst } = PACKETS;

function used(rate: Rate, amount: number): TrafficLimiter {
  const allowance = createTrafficLimiter(rate);
  expect(allowance.take(0, amount)).toBe(true);
  return allowance;
}

it('A9: allows twenty packets at once and one more per second, and refuses the next', () => {
  expect(PACKETS).toEqual({ burst: 20, perSecond: 1 });
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < burst; n += 1) expect(allowance.take(0)).toBe(true);
  for (let second = 1; second < 1000; second += 1) expect(allowance.take(second * 1000)).toBe(true);
  expect(allowance.take(999 * 1000)).toBe(false);
});

it('A9: allows 16 KiB at once and one more per second', () => {
  const allowance = used(BYTES, 16 * 1024);
  expect(allowance.take(1000, 1024)).toBe(true);
  expect(allowance.take(1000, 1)).toBe(false);
});

it('A9: allows a presence report per second all day, plus the answers to our pings', () => {
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < 86_400; n += 1) {
    expect(allowance.take(n * 1000)).toBe(true);
    if (n % 25 !== 0) continue;
    allowance.refund();
    expect(allowance.take(n * 1000)).toBe(true);
  }
});

it('A9: does not accumulate refunds beyond one burst', () => {
  const allowance = createTrafficLimiter(PACKETS);
  for (let n = 0; n < 1000; n += 1) allowance.refund();
  let within = 0;
  while (allowance.take(0)) within += 1;
  expect(within).toBe(burst);
});

interface Frame {
  opcode: number;
  final: boolean;
  masked: boolean;
  /** The encoding of the length: 7, 16 or 64 bits. */
  width: 0 | 2 | 8;
  size: number;
}

const frames = fc.array(
  fc.record({
    opcode: fc.integer({ min: 0, max: 15 }),
    final: fc.boolean(),
    masked: fc.boolean(),
    width: fc.constantFrom<0 | 2 | 8>(0, 2, 8),
    size: fc.integer({ min: 0, max: 125 }),
  }),
  { maxLength: 20 },
);

function bytesOf({ opcode, final, masked, width, size }: Frame): Buffer {
  const length = Buffer.alloc(width);
  if (width === 2) length.writeUInt16BE(size);
  if (width === 8) length.writeBigUInt64BE(BigInt(size));
  const short = { 0: size, 2: 126, 8: 127 }[width];
  const start = Buffer.from([(final ? 0x80 : 0) | opcode, (masked ? 0x80 : 0) | short]);
  return Buffer.concat([start, length, Buffer.alloc(masked ? 4 : 0, 0xff), Buffer.alloc(size, 0x81)]);
}

describe('A9: the frame counter', () => {
  it('counts every frame once, however the bytes arrive', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 })), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(bytesOf));
        const count = createFrameCounter();
        let counted = 0;
        let at = 0;
        for (const size of [...cuts, bytes.length]) {
          counted += count(bytes.subarray(at, at + size));
          at += size;
        }
        expect(counted).toBe(sent.length);
      }),
    );
  });

  it('counts a frame at its first byte, and not again with the rest', () => {
    const count = createFrameCounter();
    const bytes = bytesOf({ opcode: 1, final: true, masked: true, width: 8, size: 100 });
    expect([...bytes].map((byte) => count(Uint8Array.of(byte)))).toEqual([
      1,
      ...Array<number>(bytes.length - 1).fill(0),
    ]);
  });

  it('counts a frame with a huge declared length once', () => {
    const count = createFrameCounter();
    expect(count(Buffer.from([0x81, 0xff, ...Array<number>(8).fill(0xff), 1, 2, 3, 4]))).toBe(1);
    expect(count(Buffer.alloc(10_000, 0x81))).toBe(0);
  });
});

const message = (data?: unknown): Packet => ({ type: 'message', data });
const CONNECT = message('0');
const EVENT = message('2["presence",{"project_id":null,"item_id":null,"idle":false}]');
const PONG: Packet = { type: 'pong' };

const verdicts = (packets: Packet[]) => {
  const validator = createPacketValidator();
  return packets.map((packet) => validator.validate(packet));
};

describe('A9: a client', () => {
  it.each<[string, Packet[]]>([
    ['a CONNECT and events', [CONNECT, EVENT, EVENT]],
    ['a CONNECT with a payload', [message('0{"token":"x"}'), EVENT]],
  ])('a client may send %s', (_, packets) => {
    expect(verdicts(packets)).toEqual(packets.map(() => 'in order'));
  });

  it('may disconnect, and send nothing after that', () => {
    expect(verdicts([CONNECT, message('1'), EVENT])).toEqual(['in order', 'goodbye', 'out of order']);
    expect(verdicts([CONNECT, message('1'), CONNECT])).toEqual(['in order', 'goodbye', 'out of order']);
  });

  it.each<[string, Packet]>([
    ['an event', EVENT],
    ['a goodbye', message('1')],
    ['nothing', message()],
    ['a CONNECT to another namespace', message('0/admin,')],
    ['a CONNECT to the main namespace by name', message('0/,')],
    ['a CONNECT with a payload that is no object', message('0[]')],
    ['a pong', PONG],
  ])('may not start with %s', (_, packet) => {
    expect(verdicts([packet, CONNECT])).toEqual(['out of order', 'out of order']);
  });

  it.each<[string, Packet]>([
    ['a second CONNECT', CONNECT],
    ['a CONNECT to another namespace', message('0/admin,')],
    ['an unknown event', message('2["hello"]')],
    ['an event named like an object property', message('2["constructor"]')],
    ['an event without a name', message('2[]')],
    ['an event that requests an acknowledgement', message('20["presence",{}]')],
    ['an event of another namespace', message('2/admin,["presence",{}]')],
    ['an acknowledgement', message('30[]')],
    ['an error', message('4{"message":"x"}')],
    ['a binary event', message('51-["presence",{"_placeholder":true,"num":0}]')],
    ['a binary acknowledgement', message('60-[]')],
    ['a packet of unknown type', message('9')],
    ['nothing', message()],
    ['binary', message(Buffer.from('2["presence",{}]'))],
    ['a ping', { type: 'ping' }],
    ['an unrequested pong', PONG],
    ['an upgrade', { type: 'upgrade' }],
    ['a noop', { type: 'noop' }],
    ['an open', { type: 'open', data: '{}' }],
    ['a close', { type: 'close' }],
    ['an unparsable packet', { type: 'error', data: 'parser error' }],
  ])('may not send %s, nor anything after it', (_, packet) => {
    expect(verdicts([CONNECT, packet, EVENT])).toEqual(['in order', 'out of order', 'out of order']);
  });

  it('may answer each ping once', () => {
    const validator = createPacketValidator();
    validator.expectPong();
    expect([PONG, CONNECT].map((packet) => validator.validate(packet))).toEqual(['in order', 'in order']);
    validator.expectPong();
    expect([PONG, PONG].map((packet) => validator.validate(packet))).toEqual(['in order', 'out of order']);
  });
});
