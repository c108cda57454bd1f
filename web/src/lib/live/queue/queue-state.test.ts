// The live queue by example: tombstones, arrivals, claims, counts, optimistic painting and scopes.
import { describe, expect, it } from 'vitest';
import type { ItemRow } from '@countersign/shared/item';
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

/** A ledger and the state of a tab that has read its snapshot. */
function opened(acts: Act[], scope: Scope): { eventLog: EventLog; state: QueueState } {
  const eventLog = new EventLog().play(acts);
  return {
    eventLog,
    state: reduce(emptyQueue(ME, scope), { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true }),
  };
}

/** Plays more acts and delivers their facts. */
function happen(eventLog: EventLog, state: QueueState, acts: Act[]): QueueState {
  const known = eventLog.events.length;
  eventLog.play(acts);
  return reduce(state, { kind: 'events', events: eventLog.events.slice(known) });
}

const first = (state: QueueState): ItemRow => {
  const row = entriesOf(state)[0]?.row;
  if (row === undefined) throw new Error('no line');
  return row;
};
const removal: RowRemoval = { what: 'approved', by: 'Me', mine: true, at: '2026-11-20T12:00:01.000Z', undoUntil: null };

describe('live queue, lines', () => {
  it('orders by due time, then arrival, then id (LC3)', () => {
    const { state } = opened([act('arrive', 4), act('arrive', 1), act('arrive', 2), act('arrive', 1)], ALL);
    const dues = entriesOf(state).map((entry) => entry.row.due_at);
    expect(dues).toEqual([...dues].sort());
    expect(entriesOf(state).map((entry) => entry.row.preview)).toEqual(['item 2', 'item 4', 'item 3', 'item 1']);
  });

  it('turns a decided line into a tombstone in its place, and sweeps it when it has been read', () => {
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

  it('keeps tombstones for as long as the list is in use', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('claim', 0)], ALL);
    const used = happen(eventLog, reduce(state, { kind: 'use', inUse: true }), [act('decide', 0)]);
    expect(entriesOf(reduce(used, later(100)))).toHaveLength(1);
    expect(entriesOf(run(used, [{ kind: 'use', inUse: false }, later(100)]))).toHaveLength(0);
  });

  it('brings an undone item back into its tombstone, and drops the dashed edge when a decision is final (LC2)', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2), act('claim', 0)], ALL);
    const decided = happen(eventLog, state, [act('decide', 0)]);
    const final = happen(eventLog, decided, [act('finalize', 0)]);
    expect(entriesOf(final)[0]?.removal).toMatchObject({ by: 'Ana', undoUntil: null });
    const again = opened([act('arrive', 1), act('claim', 0)], ALL);
    const undone = happen(again.eventLog, again.state, [act('decide', 0), act('undo', 0)]);
    expect(entriesOf(undone)[0]).toMatchObject({ removal: null, row: { claim: null } });
  });

  it('holds arrivals while the list is in use and shows them on request or when the reader turns away', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const used = happen(eventLog, reduce(state, { kind: 'use', inUse: true }), [act('arrive', 0), act('arrive', 2)]);
    expect(entriesOf(used)).toHaveLength(1);
    expect(used.heldBack.size).toBe(2);
    expect(countsOf(used).all).toBe(3);
    expect(entriesOf(reduce(used, { kind: 'show' }))).toHaveLength(3);
    expect(reduce(used, { kind: 'use', inUse: false }).heldBack.size).toBe(0);
  });

  it('shows an arrival at once when the reader took it', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const used = reduce(state, { kind: 'use', inUse: true });
    expect(entriesOf(happen(eventLog, used, [act('arrive', 2), act('claim', 1, ME)]))).toHaveLength(2);
  });
});

describe('live queue, views and counts', () => {
  it('keeps a claimed item in Available with its holder, and out of its count', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2)], AVAILABLE);
    const claimed = happen(eventLog, state, [act('claim', 0)]);
    expect(first(claimed).claim).toMatchObject({ name: 'Ana' });
    expect(countsOf(claimed)).toEqual({ available: 1, mine: 0, escalated: 0, all: 2 });
    const freed = happen(eventLog, claimed, [act('release', 0)]);
    expect(first(freed).claim).toBeNull();
    expect(countsOf(freed).available).toBe(2);
  });

  it('Mine gains what the reader takes and keeps a tombstone of what lapsed', () => {
    const { eventLog, state } = opened([act('arrive', 1)], { view: 'mine', projectId: null });
    expect(entriesOf(state)).toEqual([]);
    const taken = happen(eventLog, state, [act('claim', 0, ME)]);
    expect(entriesOf(taken)).toHaveLength(1);
    const expired = happen(eventLog, taken, [act('release', 0, ME)]);
    expect(entriesOf(expired)[0]?.removal?.what).toBe('freed');
    expect(countsOf(expired)).toMatchObject({ mine: 0, available: 1 });
  });

  it('counts escalated items as available only where the reader may decide them (PM)', () => {
    const { state } = opened([act('arrive', 0), act('arrive', 1)], AVAILABLE);
    expect(countsOf(state)).toMatchObject({ available: 1, escalated: 1 });
    const supervisor = reduce(state, { kind: 'supervises', projects: new Set(PROJECTS) });
    expect(countsOf(supervisor)).toMatchObject({ available: 2, escalated: 1 });
    expect(entriesOf(supervisor)).toHaveLength(2);
  });

  it('turning to another view lays the list out anew, without tombstones', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 3), act('claim', 0)], ALL);
    const decided = happen(eventLog, state, [act('decide', 0)]);
    expect(entriesOf(reduce(decided, { kind: 'scope', scope: { view: 'escalated', projectId: null } }))).toHaveLength(
      1,
    );
  });

  it('a narrower project filter shows what is known at once; a wider one waits for its snapshot', () => {
    const { state } = opened([act('arrive', 1), act('arrive', 2)], ALL);
    const narrow = reduce(state, { kind: 'scope', scope: { view: 'all', projectId: PROJECTS[0] } });
    expect(narrow.loaded).toBe(true);
    expect(entriesOf(narrow).map((entry) => entry.row.project_id)).toEqual([PROJECTS[0]]);
    const wide = reduce(narrow, { kind: 'scope', scope: ALL });
    expect(wide).toMatchObject({ loaded: false, order: [] });
  });

  it('counts what was not loaded as the server does, and shows no line beyond the unbroken part', () => {
    const eventLog = new EventLog().play([act('arrive', 1), act('arrive', 4)]);
    const [row] = eventLog.snapshot().rows;
    if (row === undefined) throw new Error('no row');
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
  it('paints a decision at once and takes it back when the server refuses', () => {
    const { state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const painted = reduce(state, { kind: 'saving', id: first(state).id, removal });
    expect(entriesOf(painted)[0]).toMatchObject({ saving: true, removal: { what: 'approved' } });
    expect(countsOf(painted)).toEqual({ available: 0, mine: 0, escalated: 0, all: 0 });
    const refused = reduce(painted, { kind: 'settled', id: first(state).id });
    expect(entriesOf(refused)[0]).toMatchObject({ saving: false, removal: null });
    expect(countsOf(refused).mine).toBe(1);
  });

  it('takes the answer for the fact, and the fact that follows for old news', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const row = first(state);
    const answered = run(state, [
      { kind: 'saving', id: row.id, removal },
      { kind: 'item', row: { ...row, status: 'approved', version: row.version + 1, claim: null }, removal },
    ]);
    expect(entriesOf(answered)[0]).toMatchObject({ saving: false, removal: { by: 'Me' } });
    expect(entriesOf(happen(eventLog, answered, [act('decide', 0, ME)]))).toEqual(entriesOf(answered));
  });

  it('a claim fact that is older than an answer changes nothing', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const row = { ...first(state), version: 5, claim: { user_id: ME, name: 'Me', expires_at: first(state).due_at } };
    const answered = reduce(state, { kind: 'item', row, removal });
    const late = happen(eventLog, answered, [act('claim', 0), act('release', 0)]);
    expect(first(late).claim).toMatchObject({ user_id: ME });
  });

  it('a renewal moves the end of the lease, though the version stays', () => {
    const { state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const row = first(state);
    const claim = { user_id: ME, name: 'Me', expires_at: '2026-11-20T13:00:00.000Z' };
    expect(first(reduce(state, { kind: 'item', row: { ...row, claim }, removal })).claim).toEqual(claim);
  });

  it('a stale answer cannot bring back an item that has left', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('claim', 0, ME)], ALL);
    const stale = first(state);
    const decided = happen(eventLog, state, [act('decide', 0, ME)]);
    expect(countsOf(reduce(decided, { kind: 'item', row: stale, removal })).all).toBe(0);
  });
});

describe('live queue, snapshots', () => {
  it('a resync keeps every line in place: what left is a tombstone, what came is held while in use', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2), act('claim', 0)], ALL);
    eventLog.play([act('decide', 0), act('arrive', 0)]);
    const synced = run(state, [
      { kind: 'use', inUse: true },
      { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true },
    ]);
    expect(entriesOf(synced).map((entry) => entry.removal?.what)).toEqual(['gone', undefined]);
    expect(synced.heldBack.size).toBe(1);
  });

  it('an answer that is newer than the snapshot stands', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const old = eventLog.snapshot();
    const claimed = happen(eventLog, state, [act('claim', 0, ME)]);
    const synced = reduce(claimed, { kind: 'snapshot', snapshot: old, last: true });
    expect(first(synced).claim).toMatchObject({ name: 'Me' });
  });

  it('an earlier answer shows at once and keeps the facts of the meantime for the later one', () => {
    const eventLog = new EventLog().play([act('arrive', 1), act('arrive', 2)]);
    const early = eventLog.snapshot();
    eventLog.play([act('claim', 0)]);
    const late = eventLog.snapshot();
    eventLog.play([act('decide', 0)]);
    const asked = run(emptyQueue(ME, ALL), [
      { kind: 'asked' },
      { kind: 'events', events: eventLog.events },
      { kind: 'asked' },
    ]);
    const first = reduce(asked, { kind: 'snapshot', snapshot: early, last: false });
    expect(countsOf(first).all).toBe(1);
    const second = reduce(first, { kind: 'snapshot', snapshot: late, last: true });
    expect(countsOf(second).all).toBe(1);
    expect(second).toMatchObject({ buffer: null, needsResync: null });
  });

  it('keeps nothing of a project that is none of the reader’s any more, and starts anew when it is again', () => {
    const { eventLog, state } = opened([act('arrive', 1), act('arrive', 2)], ALL);
    const gone = run(state, [{ kind: 'asked' }, { kind: 'gone' }]);
    expect(gone).toEqual(emptyQueue(ME, ALL));
    const back = reduce(gone, { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true });
    expect(entriesOf(back)).toEqual(entriesOf(state));
  });

  it('when no answer comes, facts go on being applied and none are hoarded', () => {
    const { eventLog, state } = opened([act('arrive', 1)], ALL);
    const left = run(state, [{ kind: 'asked' }, { kind: 'unanswered' }]);
    const later = happen(eventLog, left, [act('arrive', 2)]);
    expect(later.buffer).toBeNull();
    expect(countsOf(later).all).toBe(2);
  });

  it('facts of a project that is not known ask for its snapshot', () => {
    const eventLog = new EventLog().play([act('arrive', 1)]);
    const nowhere = { ...new EventLog().snapshot(), seqs: {} };
    const state = run(emptyQueue(ME, ALL), [
      { kind: 'snapshot', snapshot: nowhere, last: true },
      { kind: 'events', events: eventLog.events },
    ]);
    expect(state.needsResync).toBe(PROJECTS[1]);
  });
});
