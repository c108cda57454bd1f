// RT7: what a stopped project makes of the other routing rules.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BELOW_REVIEW, type BelowReview } from '@countersign/shared/enums';
import { route } from './routing.ts';

const SETTINGS = { auto_threshold: 0.95, review_threshold: 0.7, escalate_flags: ['legal'] };

const routed = (item: { confidence: number; flags?: string[] }, below_review: BelowReview, stopped: boolean) =>
  route({ confidence: item.confidence, risk_flags: item.flags ?? [] }, { ...SETTINGS, below_review, stopped });

describe('RT7: a stopped project', () => {
  it.each<[string, { confidence: number; flags?: string[] }, BelowReview, string]>([
    ['what would pass by itself waits', { confidence: 1 }, 'reject', 'RT7 queued'],
    ['at the threshold too', { confidence: 0.95 }, 'reject', 'RT7 queued'],
    ['what would be rejected by itself waits', { confidence: 0.1 }, 'reject', 'RT7 queued'],
    ['what waits anyway keeps its rule', { confidence: 0.8 }, 'reject', 'RT3 queued'],
    ['so does what waits by policy', { confidence: 0.1 }, 'queue', 'RT4 queued'],
    ['what escalates by a flag escalates', { confidence: 1, flags: ['legal'] }, 'reject', 'RT1 escalated'],
    ['what escalates by policy escalates', { confidence: 0.1 }, 'escalate', 'RT4 escalated'],
  ])('%s', (_, item, below, expected) => {
    const { rule, status } = routed(item, below, true);
    expect(`${rule} ${status}`).toBe(expected);
  });

  it('sends everything to people, and changes nothing of what goes there anyway', () => {
    const item = fc.record({
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      flags: fc.array(fc.constantFrom('legal', 'vip')),
    });
    fc.assert(
      fc.property(item, fc.constantFrom(...BELOW_REVIEW), (submitted, below) => {
        const released = routed(submitted, below, false);
        const waits = ['queued', 'escalated'].includes(released.status);
        expect(routed(submitted, below, true)).toEqual(
          waits ? released : { status: 'queued', rule: 'RT7', matched_flags: [] },
        );
      }),
    );
  });
});
