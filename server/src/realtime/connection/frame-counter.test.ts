// Counting frames, however they are split into chunks, regardless of their length and type.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameCounter } from './traffic-limiter.ts';

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
