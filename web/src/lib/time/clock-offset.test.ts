// The page's estimate of the server's clock: every answer narrows it, and none can move it outside its proof.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clampOffset } from './clock.svelte.ts';

const NOW = 1_795_000_000_000;

describe('clampOffset', () => {
  it('moves to the bounds of a proof, and no further', () => {
    const proof = { from: NOW + 5000, to: NOW + 5000, sentAt: NOW, receivedAt: NOW + 40 };
    expect(clampOffset(0, proof)).toBe(4960);
    expect(clampOffset(9000, proof)).toBe(5000);
    expect(clampOffset(4980, proof)).toBe(4980);
  });

  it('ends within one round trip of the true offset, for any answers', () => {
    const answer = fc.record({ out: fc.nat(400), back: fc.nat(400), gap: fc.nat(5000) });
    fc.assert(
      fc.property(fc.integer({ min: -1e7, max: 1e7 }), fc.array(answer, { minLength: 1 }), (truth, answers) => {
        let local = NOW;
        let offset = 0;
        for (const { out, back, gap } of answers) {
          const [sentAt, at, receivedAt] = [local, local + out, local + out + back];
          offset = clampOffset(offset, { from: at + truth, to: at + truth, sentAt, receivedAt });
          local = receivedAt + gap;
        }
        const last = answers.at(-1);
        const trip = (last?.out ?? 0) + (last?.back ?? 0);
        expect(Math.abs(offset - truth)).toBeLessThanOrEqual(trip);
      }),
    );
  });
});
