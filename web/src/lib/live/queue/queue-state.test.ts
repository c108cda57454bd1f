// The live queue by example: tombstones, arrivals, claims, counts, optimistic updates and scopes.
import { describe, expect, it } from 'vitest';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { ANA, EventLog, ME, PROJECTS, type Act } from './event-log.fixture.ts';
import { countsOf, emptyQueue, entriesOf, type RowRemoval, type QueueState, type Scope } from './queue-model.ts';
import { reduce, type QueueInput } from './queue-state.ts';

const ALL: Scope = { view: 'all', projectId: null };
const AVAILABLE: Scope = { view: 'available', projectId: null };
const run = (state: QueueState, inputs: QueueInput[]): QueueState => inputs.reduce(reduce, state);
const act = (what: Act['what'], pick: number, who = ANA): Act => ({ what, pick, who });
const later = (seconds: number): QueueInput => ({
  kind: 'tick',
  now: Date.parse('2026-11-20T12:00:00.000Z') + seconds * 1000,
});

/** An event log and the state of a tab that has read its snapshot. */
function opened(acts: Act[], scope: Scope): { eventLog: EventLog; state: QueueState } {
  const eventLog = new EventLog().play(acts);
  return {
    eventLog,
    state: reduce(emptyQueue(ME, scope), { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true }),
  };
}

/** Performs more actions and delivers their events. */
function happen(eventLog: EventLog, state: QueueState, acts: Act[]): QueueState {
  const known = eventLog.events.length;
  eventLog.play(acts);
  return reduce(state, { kind: 'events', events: eventLog.events.slice(known) });
}

const first = (state: QueueState): ItemRow => {
  const row = entriesOf(state)[0]?.row;
  if (row === undefined) throw new Error('The row is missing.');
  return row;
};
const removal: RowRemoval = { what: 'approved', by: 'Me', mine: true, at: '2026-11-20T12:00:01.000Z', undoUntil: null };

describe('live queue, rows', () => {
  it('orders by due time, then arrival, then id (LC3)', () => {
    const { state } = opened([act('arrive', 4), act('arrive', 1), act('arrive', 2), act('arrive', 1)], ALL);
    const dues = entriesOf(state).map((entry) => entry.row.due_at);
    expect(dues).toEqual([...dues].sort());
    expect(entriesOf(state).map((entry) => entry.row.preview)).toEqual(['item 2', 'item 4', 'item 3', 'item 1']);
  });

  it('turns a decided row into a tombstone in its place, and removes it after its display time', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2), act('claim', 0)], ALL);
    const decided = happen(eventLog, state, [act('decide', 0)]);
    expect(entriesOf(decided)[0]).toMatchObject({
      id: first(state).id,
      removal: { what: 'approved', by: 'Ana', mine: false },
    });
    expect(entriesOf(decided)[0]?.removal?.undoUntil).not.toBeNull();
    expect(countsOf(decided).all).toBe(1);
    expect(entriesOf(reduce(decided, later(2)))).toHaveLength(2);
    expect(entriesOf(reduce(decided, later(10)))).toHaveLength(1);
  });

  it('retains tombstones for as long as the list is in use', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('claim', 0)], ALL);
    const used = happen(eventLog, reduce(state, { kind: 'list_in_use', inUse: true }), [act('decide', 0)]);
    expect(entriesOf(reduce(used, later(100)))).toHaveLength(1);
    expect(entriesOf(run(used, [{ kind: 'list_in_use', inUse: false }, later(100)]))).toHaveLength(0);
  });

  it('restores an undone item in place of its tombstone, and drops the dashed edge when a decision is final (LC2)', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2), act('claim', 0)], ALL);
    const decided = happen(eventLog, state, [act('decide', 0)]);
    const final = happen(eventLog, decided, [act('finalize', 0)]);
    expect(entriesOf(final)[0]?.removal).toMatchObject({ by: 'Ana', undoUntil: null });
    const again = opened([act('arrive', 1), act('claim', 0)], ALL);
    const undone = happen(again.eventLog, again.state, [act('decide', 0), act('undo', 0)]);
    expect(entriesOf(undone)[0]).toMatchObject({ removal: null, row: { claim: null } });
  });

  it('holds arrivals back while the list is in use and shows them on request or on switching the view', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const used = happen(eventLog, reduce(state, { kind: 'list_in_use', inUse: true }), [
      act('arrive', 0),
      act('arrive', 2),
    ]);
    expect(entriesOf(used)).toHaveLength(1);
    expect(used.heldBack.size).toBe(2);
    expect(countsOf(used).all).toBe(3);
    expect(entriesOf(reduce(used, { kind: 'show_held_back' }))).toHaveLength(3);
    expect(reduce(used, { kind: 'list_in_use', inUse: false }).heldBack.size).toBe(0);
  });

  it('shows an arrival at once when the user claimed it', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const used = reduce(state, { kind: 'list_in_use', inUse: true });
    expect(entriesOf(happen(eventLog, used, [act('arrive', 2), act('claim', 1, ME)]))).toHaveLength(2);
  });
});

describe('live queue, views and counts', () => {
  it('lists a claimed item in Available with its holder, and outside its count', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2)], AVAILABLE);
    const claimed = happen(eventLog, state, [act('claim', 0)]);
    expect(first(claimed).claim).toMatchObject({ name: 'Ana' });
    expect(countsOf(claimed)).toEqual({ available: 1, mine: 0, escalated: 0, all: 2 });
    const freed = happen(eventLog, claimed, [act('release', 0)]);
    expect(first(freed).claim).toBeNull();
    expect(countsOf(freed).available).toBe(2);
  });

  it("adds the user's claims to Mine and leaves a tombstone of an expired one", () => {
    const { eventLog, state } = opened([act('arrive', 1)], { view: 'mine', projectId: null });
    expect(entriesOf(state)).toEqual([]);
    const taken = happen(eventLog, state, [act('claim', 0, ME)]);
    expect(entriesOf(taken)).toHaveLength(1);
    const expired = happen(eventLog, taken, [act('release', 0, ME)]);
    expect(entriesOf(expired)[0]?.removal?.what).toBe('freed');
    expect(countsOf(expired)).toMatchObject({ mine: 0, available: 1 });
  });

  it('counts escalated items as available only where the user may decide them (PM)', () => {
    const { state } = opened([act('arrive', 0), act('arrive', 1)], AVAILABLE);
    expect(countsOf(state)).toMatchObject({ available: 1, escalated: 1 });
    const supervisor = reduce(state, { kind: 'supervised_projects', projects: new Set(PROJECTS) });
    expect(countsOf(supervisor)).toMatchObject({ available: 2, escalated: 1 });
    expect(entriesOf(supervisor)).toHaveLength(2);
  });

  it('lays the list out again without tombstones on switching the view', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 3), act('claim', 0)], ALL);
    const decided = happen(eventLog, state, [act('decide', 0)]);
    expect(entriesOf(reduce(decided, { kind: 'scope', scope: { view: 'escalated', projectId: null } }))).toHaveLength(
      1,
    );
  });

  it('shows known rows at once for a narrower project filter, and waits for the snapshot for a wider one', () => {
    const { state } = opened([act('arrive', 1), act('arrive', 2)], ALL);
    const narrow = reduce(state, { kind: 'scope', scope: { view: 'all', projectId: PROJECTS[0] } });
    expect(narrow.loaded).toBe(true);
    expect(entriesOf(narrow).map((entry) => entry.row.project_id)).toEqual([PROJECTS[0]]);
    const wide = reduce(narrow, { kind: 'scope', scope: ALL });
    expect(wide).toMatchObject({ loaded: false, order: [] });
  });

  it('counts unloaded items as the server does, and shows no row beyond the contiguous part', () => {
    const eventLog = new EventLog().play([act('arrive', 1), act('arrive', 4)]);
    const [row] = eventLog.snapshot().rows;
    if (row === undefined) throw new Error('The row is missing.');
    const counts = { available: 50, mine: 0, escalated: 3, all: 53 };
    const part = { ...eventLog.snapshot(), rows: [row], counts, complete: false, horizon: row };
    const state = reduce(emptyQueue(ME, ALL), { kind: 'snapshot', snapshot: part, last: true });
    expect(countsOf(state)).toEqual(counts);
    const more = happen(eventLog, state, [act('claim', 1), act('arrive', 4)]);
    expect(entriesOf(more)).toHaveLength(1);
    expect(countsOf(more)).toMatchObject({ all: 54, available: 50 });
  });
});

describe('live queue, own decisions', () => {
  it('shows a decision at once and rolls it back when the server refuses', () => {
    const { state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const painted = reduce(state, { kind: 'saving', id: first(state).id, removal });
    expect(entriesOf(painted)[0]).toMatchObject({ saving: true, removal: { what: 'approved' } });
    expect(countsOf(painted)).toEqual({ available: 0, mine: 0, escalated: 0, all: 0 });
    const refused = reduce(painted, { kind: 'decision_settled', id: first(state).id });
    expect(entriesOf(refused)[0]).toMatchObject({ saving: false, removal: null });
    expect(countsOf(refused).mine).toBe(1);
  });

  it('applies the answer in place of the event, and ignores the event that follows', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const row = first(state);
    const answered = run(state, [
      { kind: 'saving', id: row.id, removal },
      { kind: 'item', row: { ...row, status: 'approved', version: row.version + 1, claim: null }, removal },
    ]);
    expect(entriesOf(answered)[0]).toMatchObject({ saving: false, removal: { by: 'Me' } });
    expect(entriesOf(happen(eventLog, answered, [act('decide', 0, ME)]))).toEqual(entriesOf(answered));
  });

  it('ignores a claim event that is older than an answer', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const row = { ...first(state), version: 5, claim: { user_id: ME, name: 'Me', expires_at: first(state).due_at } };
    const answered = reduce(state, { kind: 'item', row, removal });
    const late = happen(eventLog, answered, [act('claim', 0), act('release', 0)]);
    expect(first(late).claim).toMatchObject({ user_id: ME });
  });

  it('moves the end of the lease on renewal, though the version stays', () => {
    const { state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const row = first(state);
    const claim = { user_id: ME, name: 'Me', expires_at: '2026-11-20T13:00:00.000Z' };
    expect(first(reduce(state, { kind: 'item', row: { ...row, claim }, removal })).claim).toEqual(claim);
  });

  it('does not restore an item that has left because of a stale answer', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const stale = first(state);
    const decided = happen(eventLog, state, [act('decide', 0, ME)]);
    expect(countsOf(reduce(decided, { kind: 'item', row: stale, removal })).all).toBe(0);
  });
});

describe('live queue, snapshots', () => {
  it('a resync leaves every row in place: removed ones are tombstones, new ones are held back while in use', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2), act('claim', 0)], ALL);
    eventLog.play([act('decide', 0), act('arrive', 0)]);
    const synced = run(state, [
      { kind: 'list_in_use', inUse: true },
      { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true },
    ]);
    expect(entriesOf(synced).map((entry) => entry.removal?.what)).toEqual(['gone', undefined]);
    expect(synced.heldBack.size).toBe(1);
  });

  it('an answer that is newer than the snapshot takes precedence', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const old = eventLog.snapshot();
    const claimed = happen(eventLog, state, [act('claim', 0, ME)]);
    const synced = reduce(claimed, { kind: 'snapshot', snapshot: old, last: true });
    expect(first(synced).claim).toMatchObject({ name: 'Me' });
  });

  it('an earlier answer shows at once and retains the events in between for the later one', () => {
    const eventLog = new EventLog().play([act('arrive', 1), act('arrive', 2)]);
    const early = eventLog.snapshot();
    eventLog.play([act('claim', 0)]);
    const late = eventLog.snapshot();
    eventLog.play([act('decide', 0)]);
    const asked = run(emptyQueue(ME, ALL), [
      { kind: 'snapshot_requested' },
      { kind: 'events', events: eventLog.events },
      { kind: 'snapshot_requested' },
    ]);
    const first = reduce(asked, { kind: 'snapshot', snapshot: early, last: false });
    expect(countsOf(first).all).toBe(1);
    const second = reduce(first, { kind: 'snapshot', snapshot: late, last: true });
    expect(countsOf(second).all).toBe(1);
    expect(second).toMatchObject({ buffer: null, needsResync: null });
  });

  it('drops everything of a project the user has left, and starts over when they return', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2)], ALL);
    const gone = run(state, [{ kind: 'snapshot_requested' }, { kind: 'access_lost' }]);
    expect(gone).toEqual(emptyQueue(ME, ALL));
    const back = reduce(gone, { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true });
    expect(entriesOf(back)).toEqual(entriesOf(state));
  });

  it('without an answer, events are still applied and none are buffered', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const left = run(state, [{ kind: 'snapshot_requested' }, { kind: 'snapshot_failed' }]);
    const later = happen(eventLog, left, [act('arrive', 2)]);
    expect(later.buffer).toBeNull();
    expect(countsOf(later).all).toBe(2);
  });

  it('events of an unknown project request its snapshot', () => {
    const eventLog = new EventLog().play([act('arrive', 1)]);
    const nowhere = { ...new EventLog().snapshot(), seqs: {} };
    const state = run(emptyQueue(ME, ALL), [
      { kind: 'snapshot', snapshot: nowhere, last: true },
      { kind: 'events', events: eventLog.events },
    ]);
    expect(state.needsResync).toBe(PROJECTS[1]);
  });
});

describe('live queue, events of another version', () => {
  it('QU20: requests the snapshot for an event type that the page does not know', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const known = eventLog.events.length;
    eventLog.play([act('claim', 0)]);
    const events = eventLog.events.slice(known).map((event) => ({ ...event, type: 'item.unheard_of' }));
    const after = reduce(state, { kind: 'events', events: events as unknown as typeof eventLog.events });
    expect(after.needsResync).toBe(events[0]?.project_id);
    expect(entriesOf(after)).toHaveLength(1);
  });
});
