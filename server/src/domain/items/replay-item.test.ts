// The story of an item: what the ledger may tell of it, and that nothing else passes (I6, LC0, I4).
import { describe, expect, it } from 'vitest';
import { replayItem, type ItemEvent } from './replay-item.ts';

/** Facts in a row, each with the next version and a second later, unless told otherwise. */
const eventsOf = (...events: (Partial<ItemEvent> & Pick<ItemEvent, 'type'>)[]): ItemEvent[] =>
  events.map((event, index) => ({
    ...{ version: index + 1, status: null, action: null, takesOver: false },
    ...{ at: index * 1000, expiresAt: event.type === 'item.claimed' ? index * 1000 + 60_000 : null },
    ...event,
  }));
const ends = (events: ItemEvent[], audit = false) => replayItem(events, { audit });

const queued = { type: 'item.queued' } as const;
const claimed = { type: 'item.claimed' } as const;
const lapsed = { type: 'claim.expired' } as const;
const released = { type: 'claim.released' } as const;
const escalated = { type: 'item.escalated' } as const;
const approved = { type: 'item.decided', status: 'approved', action: 'approve' } as const;
const shipped = { type: 'item.finalized', status: 'approved', action: 'approve' } as const;
const undone = { type: 'item.undone', status: 'queued' } as const;
const automatic = { type: 'item.finalized', status: 'auto_approved', action: 'auto_approve' } as const;
const refused = { type: 'item.finalized', status: 'rejected' } as const;
const verdict = { type: 'item.decided', status: 'auto_approved', action: 'reject' } as const;

describe('I6: the event log leads an item to', () => {
  it.each([
    ['the queue', [queued], { status: 'queued', claim: 'none', decided: 'no' }],
    ['a person', [queued, claimed], { status: 'queued', claim: 'live', claims: 1 }],
    ['a decision that can be undone', [queued, claimed, approved], { status: 'approved', decided: 'provisional' }],
    ['a final decision', [queued, claimed, approved, shipped], { status: 'approved', decided: 'final', version: 4 }],
    ['the queue again by an undo', [queued, claimed, approved, undone], { status: 'queued', decided: 'no' }],
    ['a late decision', [queued, claimed, lapsed, approved], { status: 'approved' }],
    ['a second person', [queued, claimed, released, claimed], { claim: 'live', claims: 2 }],
    ['a supervisor and back', [queued, claimed, escalated, claimed, queued], { status: 'queued', claims: 2 }],
    ['an automatic approval', [automatic], { status: 'auto_approved', decided: 'no' }],
    ['a rejection by routing, reopened', [refused, queued, claimed], { status: 'queued', claim: 'live' }],
  ])('%s', (_, events, end) => {
    expect(ends(eventsOf(...events))).toMatchObject(end);
  });

  it('a decision that is final at once, which has its version', () => {
    const events = eventsOf(queued, claimed, approved, { ...shipped, version: 3 });
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

describe('I6: the event log never holds', () => {
  it.each([
    ['nothing', []],
    ['an item that begins with a claim', [claimed]],
    ['a decision without a claim', [queued, approved]],
    ['a decision after it was given back', [queued, claimed, released, approved]],
    ['a second decision', [queued, claimed, approved, shipped, claimed]],
    ['a decision that its action does not make', [queued, claimed, { ...approved, status: 'rejected' as const }]],
    ['an end without a decision', [queued, claimed, shipped]],
    ['another end than was decided', [queued, claimed, approved, { ...shipped, status: 'rejected' as const }]],
    ['an undo after the end', [queued, claimed, approved, shipped, undone]],
    ['an undo to what it was not', [queued, claimed, approved, { ...undone, status: 'escalated' as const }]],
    ['what routing approved, drawn without an audit', [automatic, queued]],
    [
      'a rejection of a person, reopened',
      [queued, claimed, { ...approved, status: 'rejected', action: 'reject' }, queued],
    ],
    ['a claim that ends twice', [queued, claimed, released, released]],
    ['a version left out', [queued, { ...claimed, version: 3 }]],
    ['a version twice', [queued, claimed, { ...released, version: 2 }]],
  ] as [string, Parameters<typeof eventsOf>][])('%s', (_, events) => {
    expect(ends(eventsOf(...events))).toEqual({ fault: expect.any(String) as string });
  });
});

describe('I4: a claim of what somebody else holds', () => {
  const second = (over: Partial<ItemEvent>) => ends(eventsOf(queued, claimed, { ...claimed, ...over }));

  it('is no claim while the first one lives', () => {
    expect(second({})).toHaveProperty('fault');
    expect(second({ at: 55_000 })).toHaveProperty('fault');
  });

  it('is one when it takes over, or when the first has ended by itself', () => {
    expect(second({ takesOver: true })).toMatchObject({ claims: 2 });
    expect(second({ at: 61_001 })).toMatchObject({ claims: 2 });
  });
});
