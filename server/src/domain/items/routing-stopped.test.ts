// RT7: how a stopped project changes the other routing rules.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BELOW_REVIEW, type BelowReview } from '@countersign/shared/enums';
import { route } from './routing.ts';

const SETTINGS = { auto_threshold: 0.95, review_threshold: 0.7, escalate_flags: ['legal'] };

const routed = (item: { confidence: number; flags?: string[] }, below_review: BelowReview, stopped: boolean) =>
  route({ confidence: item.confidence, risk_flags: item.flags ?? [] }, { ...SETTINGS, below_review, stopped });

describe('RT7: a stopped project', () => {
  it.each<[string, { confidence: number; flags?: string[] }, BelowReview, string]>([
    ['queues an item that would be auto-approved', { confidence: 1 }, 'reject', 'RT7 queued'],
    ['queues an item at the threshold', { confidence: 0.95 }, 'reject', 'RT7 queued'],
    ['queues an item that would be rejected', { confidence: 0.1 }, 'reject', 'RT7 queued'],
    ['does not change the rule of an item that is queued anyway', { confidence: 0.8 }, 'reject', 'RT3 queued'],
    ['does not change the rule of an item that is queued by policy', { confidence: 0.1 }, 'queue', 'RT4 queued'],
    ['escalates an item with an escalate flag', { confidence: 1, flags: ['legal'] }, 'reject', 'RT1 escalated'],
    ['escalates an item by policy', { confidence: 0.1 }, 'escalate', 'RT4 escalated'],
  ])('a stopped project %s', (_, item, below, expected) => {
    const { rule, status } = routed(item, below, true);
    expect(`${rule} ${status}`).toBe(expected);
  });

  it('routes every item to people, and does not change items that wait for people anyway', () => {
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
