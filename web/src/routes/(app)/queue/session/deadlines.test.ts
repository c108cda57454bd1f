// What the review session makes of a deadline that passes while its tab holds the item (DL1, DL3).
import { describe, expect, it } from 'vitest';
import type { Deadline } from '@countersign/shared/schemas/parts/item';
import { reduce } from './review-reducer.ts';
import { claimOf, type ReviewState } from './review-state.ts';
import { domainEvent, itemWith, NOW, stateOf } from './fixtures/review-states.fixture.ts';

const deadline = (on_deadline: Deadline['on_deadline']): Deadline => ({
  ...{ at: new Date(NOW).toISOString(), on_deadline },
  ...{ span_seconds: 600, extended: false },
});
const held = (on_deadline: Deadline['on_deadline'], at: 'claimed' | 'editing' = 'claimed'): ReviewState => {
  const state = stateOf(at);
  const { item } = state;
  if (item.at !== at) throw new Error(at);
  return { ...state, item: { ...item, detail: { ...item.detail, deadline: deadline(on_deadline) } } };
};
const escalated = itemWith({ version: 9, status: 'escalated', claim: null, deadline: deadline('expire') });
const claimAfter = (state: ReviewState) => claimOf(state.item);

describe.each(['claimed', 'editing'] as const)('DL1: an item that is %s', (at) => {
  const told = (state: ReviewState) =>
    reduce(state, { kind: 'received', event: domainEvent('item.escalated', { version: 9, item: escalated }) }, NOW)
      .state;
  const readAgain = (state: ReviewState) =>
    reduce(
      state,
      { kind: 'read', id: 'one', visit: state.visit, purpose: { for: 'refresh' }, again: false, detail: escalated },
      NOW,
    ).state;

  it.each([
    ['an event says so', told],
    ['it is read again', readAgain],
  ])('is lost to the deadline when %s, and stays so', (_, learn) => {
    const once = learn(held('escalate', at));
    expect(claimAfter(once)).toMatchObject({ kind: 'lost', passedOn: true });
    expect(once.item.at).toBe(at === 'editing' ? 'editing' : 'lost');
    const again = readAgain(once);
    expect(claimAfter(again)).toMatchObject({ kind: 'lost', passedOn: true });
  });

  it('is not lost to it when somebody escalated it', () => {
    const lost = told(held('expire', at));
    expect(claimAfter(lost).kind).toBe('lost');
    expect(claimAfter(lost)).not.toHaveProperty('passedOn');
  });
});
