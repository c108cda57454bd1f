// Messages of an item's history, with the notes of its events.
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { describe, expect, it } from 'vitest';
import { historyMessage, noteOf } from './history.svelte.ts';

const event = (more: object) =>
  ({
    version: 3,
    actor: { kind: 'member', id: 'ana', name: 'Ana' },
    reason: 'Policy',
    ...more,
  }) as unknown as DomainEvent;

describe('item history', () => {
  it.each(['item.escalated', 'item.queued'])('says who moved it and why, with the note beside it: %s', (type) => {
    const moved = event({ type, note: 'See page 2' });
    expect(historyMessage(moved, 'me')).toMatch(/Ana.*: Policy$/);
    expect(noteOf(moved)).toBe('See page 2');
  });

  it.each([1, 2])(
    'AU3: an arrival is one at any version, so that an audit looks like any other item: %i',
    (version) => {
      const arrived = { version, actor: { kind: 'api_key', id: 'k', name: 'Pipeline' }, reason: null };
      expect(historyMessage(event({ type: 'item.queued', ...arrived }), 'me')).toBe('Arrived, queued');
      expect(historyMessage(event({ type: 'item.escalated', ...arrived }), 'me')).toBe('Arrived, escalated');
    },
  );

  it.each([
    [{ status: 'approved', action: 'approve' }, 'Ana revised it from approved to rejected: Policy'],
    [{ status: 'auto_approved', action: 'auto_approve' }, 'Ana revised it from approved to rejected: Policy'],
    [{ status: 'approved', action: 'edit' }, 'Ana revised it from edited and approved to rejected: Policy'],
    [{ status: 'rejected', action: null }, 'Ana revised it from rejected to rejected: Policy'],
  ])('RV2: says what a revision replaced: %j', (was, message) => {
    const revised = event({ type: 'decision.revised', status: 'rejected', action: 'reject', revision: 2, was });
    expect(historyMessage(revised, 'me')).toBe(message);
  });

  it.each([
    ['of an old version without notes', { type: 'item.escalated' }],
    ['without a note', { type: 'item.escalated', note: null }],
    ['of another kind', { type: 'item.claimed' }],
  ])('shows no note for an event %s', (_, more) => {
    expect(noteOf(event(more))).toBeNull();
  });
});
