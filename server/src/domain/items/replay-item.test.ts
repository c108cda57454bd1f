// Replaying an item's events: which histories are valid, and that every other one is reported (I6, LC0, I4).
import { describe, expect, it } from 'vitest';
import { replayItem, sequenceFault, type ItemEvent } from './replay-item.ts';

/** Events in a row, each with the next version and one second later, unless given otherwise. */
const eventsOf = (...events: (Partial<ItemEvent> & Pick<ItemEvent, 'type'>)[]): ItemEvent[] =>
  events.map((event, index) => ({
    ...{ version: index + 1, status: null, action: null, takesOver: false, revision: null, byDeadline: false },
    ...{ seq: index + 1, actorId: null },
    ...{ at: index * 1000, expiresAt: event.type === 'item.claimed' ? index * 1000 + 60_000 : null },
    ...event,
  }));
const ends = (events: ItemEvent[], audit = false) => replayItem(events, { audit });

const queued = { type: 'item.queued' } as const;
const claimed = { type: 'item.claimed' } as const;
const expired = { type: 'claim.expired' } as const;
const released = { type: 'claim.released' } as const;
const escalated = { type: 'item.escalated' } as const;
const approved = { type: 'item.decided', status: 'approved', action: 'approve' } as const;
const finalized = { type: 'item.finalized', status: 'approved', action: 'approve' } as const;
const undone = { type: 'item.undone', status: 'queued' } as const;
const automatic = { type: 'item.finalized', status: 'auto_approved', action: 'auto_approve' } as const;
const refused = { type: 'item.finalized', status: 'rejected' } as const;
const revised = { type: 'decision.revised', status: 'rejected', action: 'reject', revision: 2 } as const;
const again = { type: 'decision.revised', status: 'approved', action: 'edit', revision: 3 } as const;
const outOfTime = { type: 'item.expired', status: 'expired' } as const;
const byDeadline = { type: 'item.escalated', byDeadline: true } as const;
const extended = { type: 'item.extended' } as const;
const AUTOMATIC = { audit: false, revision: 1, action: 'auto_approve', status: 'approved' } as const;
const REJECTED = { audit: false, revision: 1, action: 'reject', status: 'rejected' } as const;
const verdict = { type: 'item.decided', status: 'auto_approved', action: 'reject' } as const;

describe('I6: the event log leads an item to', () => {
  it.each([
    ['the queue', [queued], { status: 'queued', claim: 'none', decided: 'no' }],
    ['a person', [queued, claimed], { status: 'queued', claim: 'live', claims: 1 }],
    [
      'a decision that can be undone',
      [queued, claimed, approved],
      { status: 'approved', decided: 'provisional', decisions: [{ ...AUTOMATIC, action: 'approve' }] },
    ],
    ['a final decision', [queued, claimed, approved, finalized], { status: 'approved', decided: 'final', version: 4 }],
    ['the queue after an undo', [queued, claimed, approved, undone], { status: 'queued', decisions: [] }],
    ['a late decision', [queued, claimed, expired, approved], { status: 'approved' }],
    [
      'a second person',
      [queued, { ...claimed, actorId: 'anna' }, released, { ...claimed, actorId: 'ben' }],
      { claim: 'live', claims: 2, holder: 'ben' },
    ],
    ['a supervisor and back', [queued, claimed, escalated, claimed, queued], { status: 'queued', claims: 2 }],
    ['an automatic approval', [automatic], { status: 'auto_approved', decided: 'no' }],
    [
      'a decision that was revised twice',
      [queued, claimed, approved, finalized, revised, again],
      {
        ...{ status: 'approved', decided: 'final', version: 6 },
        decisions: [
          { audit: false, revision: 1, action: 'approve', status: 'approved' },
          { audit: false, revision: 2, action: 'reject', status: 'rejected' },
          { audit: false, revision: 3, action: 'edit', status: 'approved' },
        ],
      },
    ],
    [
      'an automatic approval, revised',
      [automatic, revised],
      { status: 'rejected', decisions: [AUTOMATIC, { ...REJECTED, revision: 2 }] },
    ],
    [
      'a rejection by routing, revised',
      [refused, revised],
      { status: 'rejected', decided: 'no', decisions: [{ ...REJECTED, revision: 2 }] },
    ],
    ['the end of a claimed item by its deadline', [queued, claimed, outOfTime], { status: 'expired', claim: 'none' }],
    [
      'a rejection by its deadline',
      [queued, { ...outOfTime, status: 'rejected' as const }],
      { status: 'rejected', version: 2 },
    ],
    ['supervisors, by its deadline', [queued, byDeadline, outOfTime], { status: 'expired', version: 3 }],
    ['a claimed item to supervisors', [queued, claimed, byDeadline], { status: 'escalated', claim: 'none' }],
    ['a later deadline', [queued, claimed, extended], { status: 'queued', claim: 'live', version: 3 }],
    [
      'an undo after the deadline',
      [queued, claimed, approved, undone, outOfTime],
      { status: 'expired', decided: 'no' },
    ],
    ['a rejection by routing, reopened', [refused, queued, claimed], { status: 'queued', claim: 'live' }],
  ])('replays the event log of %s', (_, events, end) => {
    expect(ends(eventsOf(...events))).toMatchObject(end);
  });

  it('a decision that is final at once, with the same version', () => {
    const events = eventsOf(queued, claimed, approved, { ...finalized, version: 3 });
    expect(ends(events)).toMatchObject({ decided: 'final', version: 3 });
  });

  it('AU2, AU3: a verdict on an approved item, as one event or, in older logs, two', () => {
    const last = { type: 'item.finalized', status: 'auto_approved', action: 'reject' } as const;
    const end = { status: 'auto_approved', decided: 'final' };
    expect(ends(eventsOf(automatic, claimed, verdict, last), true)).toMatchObject(end);
    expect(ends(eventsOf(automatic, queued, claimed, verdict, last), true)).toMatchObject(end);
    expect(ends(eventsOf(automatic), true)).toMatchObject({ status: 'queued', decided: 'no' });
  });
});

describe('I6: an event log is faulty with', () => {
  it.each([
    ['no events', []],
    ['an item that begins with a claim', [claimed]],
    ['a decision without a claim', [queued, approved]],
    ['a decision after the claim was released', [queued, claimed, released, approved]],
    ['a second decision', [queued, claimed, approved, finalized, claimed]],
    [
      'a decision whose status does not match its action',
      [queued, claimed, { ...approved, status: 'rejected' as const }],
    ],
    ['a final event without a decision', [queued, claimed, finalized]],
    [
      'a final status that differs from the decided one',
      [queued, claimed, approved, { ...finalized, status: 'rejected' as const }],
    ],
    ['an undo of a final decision', [queued, claimed, approved, finalized, undone]],
    [
      'an undo to a status that it did not have',
      [queued, claimed, approved, { ...undone, status: 'escalated' as const }],
    ],
    ['an automatic approval that is queued without an audit', [automatic, queued]],
    [
      'a rejection of a person, reopened',
      [queued, claimed, { ...approved, status: 'rejected', action: 'reject' }, queued],
    ],
    ['a revision of what waits', [queued, revised]],
    ['a revision inside the undo window', [queued, claimed, approved, revised]],
    ['a revision that skips one', [queued, claimed, approved, finalized, again]],
    ['a revision without a decision of people', [automatic, { ...revised, action: 'finalize' as const }]],
    ['a revised rejection by routing, reopened', [refused, revised, queued]],
    ['a claim that ends twice', [queued, claimed, released, released]],
    ['a missing version', [queued, { ...claimed, version: 3 }]],
    ['a repeated version', [queued, claimed, { ...released, version: 2 }]],
  ] as [string, Parameters<typeof eventsOf>][])('finds %s in an event log', (_, events) => {
    expect(ends(eventsOf(...events))).toEqual({ fault: expect.any(String) as string });
  });
});

describe('I4: a claim on an item that someone else holds', () => {
  const second = (over: Partial<ItemEvent>) => ends(eventsOf(queued, claimed, { ...claimed, ...over }));

  it('is invalid while the first claim is live', () => {
    expect(second({})).toHaveProperty('fault');
    expect(second({ at: 55_000 })).toHaveProperty('fault');
  });

  it('is valid when it is a take-over, or when the first claim expired', () => {
    expect(second({ takesOver: true })).toMatchObject({ claims: 2 });
    expect(second({ at: 61_001 })).toMatchObject({ claims: 2 });
  });
});

describe('I6: the sequence numbers of an item', () => {
  const numbered = (...seqs: (number | null)[]) => sequenceFault(eventsOf(...seqs.map((seq) => ({ ...queued, seq }))));

  it('rise in the order of its events, with others between them, and the newest may have none', () => {
    for (const seqs of [[], [4], [null], [1, 2, 7], [3, null, null]]) expect(numbered(...seqs)).toBeNull();
  });

  it('are reported where a later event has a lower one, or an earlier one has none', () => {
    expect(numbered(2, 1)).toBe('item.queued (version 2) has sequence number 1, after 2');
    expect(numbered(1, 5, 3)).toBe('item.queued (version 3) has sequence number 3, after 5');
    expect(numbered(2, 2)).toBe('item.queued (version 2) has sequence number 2, after 2');
    expect(numbered(1, null, 2)).toBe('item.queued (version 3) has sequence number 2, after none');
  });
});
