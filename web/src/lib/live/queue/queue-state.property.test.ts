// Properties of the live queue: after any order, repetition or loss of events, the page ends up correct.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainEvent, DomainEventOf } from '@countersign/shared/schemas/parts/events';
import { QUEUE_VIEWS } from '@countersign/shared/enums';
import { answers } from '@countersign/shared/filters/queue-filter';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { QUEUE_ORDER, QUEUE_SORTS } from '@countersign/shared/filters/queue-order';
import { ANA, EventLog, ME, PROJECTS, type Act } from './event-log.fixture.ts';
import {
  belongs,
  countsOf,
  emptyQueue,
  entriesOf,
  isLoaded,
  sortOf,
  type QueueState,
  type Scope,
} from './queue-model.ts';
import { reduce, type QueueInput } from './queue-state.ts';

const WHATS = [
  ...['arrive', 'arrive', 'arrive', 'claim', 'claim', 'release', 'decide', 'decide', 'undo', 'finalize'],
  ...['escalate', 'return', 'withdraw', 'deliver', 'settings'],
] as Act['what'][];
const act = fc.record({
  what: fc.constantFrom(...WHATS),
  pick: fc.nat(40),
  who: fc.constantFrom(ME, ANA),
});
/** Enough that a part is not the whole. */
const ARRIVALS: Act[] = Array.from({ length: 20 }, (_, pick) => ({ what: 'arrive', pick, who: ANA }));
const acts = fc.array(act, { minLength: 5, maxLength: 60 });
const filter: fc.Arbitrary<QueueFilter> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ flag: fc.constantFrom('pii', 'PII') }) },
  {
    weight: 1,
    arbitrary: fc.record({ model: fc.constantFrom('gpt', 'Gpt'), max_confidence: fc.constantFrom(0.3, 0.7) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ text: fc.constantFrom('ITEM 1', 'tem', '%'), min_confidence: fc.constant(0.2) }),
  },
);
const sort = fc.constantFrom(...QUEUE_SORTS);
const scope: fc.Arbitrary<Scope> = fc.record({
  view: fc.constantFrom(...QUEUE_VIEWS),
  projectId: fc.constantFrom(null, PROJECTS[0]),
  filter,
  sort,
});

const run = (state: QueueState, inputs: QueueInput[]): QueueState => inputs.reduce(reduce, state);
const deliver = (events: readonly DomainEvent[]): QueueInput => ({ kind: 'events', events });
const begin = (where: Scope): QueueState =>
  run(emptyQueue(ME, where), [{ kind: 'snapshot', snapshot: new EventLog().snapshot(), last: true }]);

/** The state without its display parts. */
const truth = (state: QueueState) => ({
  rows: [...state.rows.values()].sort(QUEUE_ORDER.due),
  counts: countsOf(state),
});
const rowsOf = (state: QueueState) => entriesOf(state).filter((entry) => entry.removal === null);

describe('live queue, properties', () => {
  it('repeats and late duplicates change nothing: the state is that of in-order delivery', () => {
    fc.assert(
      fc.property(acts, scope, fc.array(fc.nat(1000)), (played, where, repeats) => {
        const { events } = new EventLog().play(played);
        const inOrder = run(
          begin(where),
          events.map((event) => deliver([event])),
        );
        const noisy = events.flatMap((event, index) => [
          event,
          ...repeats
            .filter((at) => at % events.length === index)
            .flatMap((at) => events.slice(0, (at % (index + 1)) + 1)),
        ]);
        const state = run(begin(where), [deliver(noisy), deliver(events)]);
        expect(state).toEqual(inOrder);
        expect(state.needsResync).toBeNull();
      }),
    );
  });

  it('A10: a gap always requests a resync of its project, and the snapshot closes it', () => {
    fc.assert(
      fc.property(acts, fc.nat(), (played, at) => {
        const eventLog = new EventLog().play(played);
        const lost = eventLog.events[at % eventLog.events.length];
        const later = eventLog.events.some(
          (event) => event.project_id === lost?.project_id && event.seq > (lost?.seq ?? 0),
        );
        fc.pre(lost !== undefined && later);
        const gapped = reduce(
          begin({ view: 'all', projectId: null }),
          deliver(eventLog.events.filter((f) => f !== lost)),
        );
        expect(gapped.needsResync).toBe(lost?.project_id);
        const mended = reduce(gapped, { kind: 'snapshot', snapshot: eventLog.snapshot(), last: true });
        expect(mended.needsResync).toBeNull();
        expect(truth(mended).rows).toEqual([...eventLog.waiting.values()].sort(QUEUE_ORDER.due));
      }),
    );
  });

  it('no row appears twice and rows are in order, after any hold, show, sweep or switch', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('list_in_use' as const), inUse: fc.boolean() }),
      fc.constant({ kind: 'show_held_back' as const }),
      fc.constant({ kind: 'tick' as const, now: Date.parse('2026-11-20T12:00:08.000Z') }),
      fc.record({
        kind: fc.constant('scope' as const),
        scope: fc.record({ view: fc.constantFrom(...QUEUE_VIEWS), projectId: fc.constant(null), filter, sort }),
      }),
    );
    fc.assert(
      fc.property(acts, fc.array(fc.tuple(fc.nat(60), step)), (played, steps) => {
        const { events } = new EventLog().play(played);
        let state = begin({ view: 'available', projectId: null });
        events.forEach((event, index) => {
          state = reduce(state, deliver([event]));
          for (const [at, input] of steps) if (at === index) state = reduce(state, input);
          const ids = entriesOf(state).map((entry) => entry.id);
          expect(new Set(ids).size).toBe(ids.length);
          const places = ids.map((id) => state.shown.get(id)).filter((row) => row !== undefined);
          expect(places).toEqual([...places].sort(QUEUE_ORDER[sortOf(state.scope)]));
          for (const id of state.heldBack) expect(ids).not.toContain(id);
        });
      }),
    );
  });

  it('every waiting item of the view is a row or held back; every other row is a tombstone', () => {
    fc.assert(
      fc.property(acts, scope, fc.boolean(), (played, where, inUse) => {
        const { events } = new EventLog().play(played);
        const state = run(begin(where), [{ kind: 'list_in_use', inUse }, deliver(events)]);
        const wanted = [...state.rows.values()].filter((row) => belongs(state, row)).map((row) => row.id);
        for (const { row } of rowsOf(state)) expect(answers(where.filter ?? {}, row)).toBe(true);
        expect([...rowsOf(state).map((entry) => entry.id), ...state.heldBack].sort()).toEqual(wanted.sort());
      }),
    );
  });

  it('a snapshot and newer events equal all events, with those in between delivered early, late or twice', () => {
    fc.assert(
      fc.property(acts, acts, scope, fc.boolean(), (before, after, where, early) => {
        const eventLog = new EventLog().play(before);
        const snapshot = { ...eventLog.snapshot(), rows: [...eventLog.waiting.values()] };
        const known = eventLog.events.length;
        eventLog.play(after);
        const newer = eventLog.events.slice(known);
        const all = reduce(begin(where), deliver(eventLog.events));
        const state = early
          ? run(emptyQueue(ME, where), [
              { kind: 'snapshot_requested' },
              deliver(newer),
              { kind: 'snapshot', snapshot, last: true },
            ])
          : run(emptyQueue(ME, where), [{ kind: 'snapshot', snapshot, last: true }, deliver(newer), deliver(newer)]);
        expect(inScope(state)).toEqual(inScope(all));
      }),
    );
    /** A snapshot of every project may contain rows that a project filter omits. */
    function inScope(state: QueueState) {
      const mine = truth(state).rows.filter((row) => [null, row.project_id].includes(state.scope.projectId));
      return { rows: mine, shown: rowsOf(state).map((entry) => entry.id) };
    }
  });

  it('a partly loaded queue has the rows and counts of a fresh page, and stores nothing beyond', () => {
    fc.assert(
      fc.property(
        acts,
        acts,
        fc.tuple(filter, fc.constantFrom(...QUEUE_VIEWS), fc.nat(12), sort),
        (before, after, [asked, view, most, sort]) => {
          const eventLog = new EventLog().play([...ARRIVALS, ...before]);
          const known = eventLog.events.length;
          const first = eventLog.part(asked, most + 1, sort);
          const heard = run(emptyQueue(ME, { view, projectId: null, filter: asked, sort }), [
            { kind: 'snapshot', snapshot: first, last: true },
            deliver(eventLog.play(after).events.slice(known)),
          ]);
          const again = eventLog.part(asked, most + 1, sort);
          const part = heard.needsResync === null ? first : again;
          const state =
            heard.needsResync === null ? heard : reduce(heard, { kind: 'snapshot', snapshot: again, last: true });
          const now = eventLog.part(asked, Infinity, sort);
          const fresh = run(emptyQueue(ME, state.scope), [
            { kind: 'snapshot', snapshot: { ...now, horizon: part.horizon }, last: true },
          ]);
          // A row that was once the user's or escalated stays; every other stored row belongs to the part that was read.
          const loaded = new Set(part.rows.map(({ id }) => id));
          const came = eventLog.events
            .slice(known)
            .flatMap((event) => (isOwnOrEscalated(event) ? [event.item_id] : []));
          const stays = new Set([...loaded, ...came]);
          const ids = (entries: readonly { id: string; removal: unknown }[]) =>
            entries.filter(({ id, removal }) => removal === null && !stays.has(id)).map(({ id }) => id);
          expect(ids(entriesOf(state))).toEqual(ids(entriesOf(fresh)));
          for (const row of state.rows.values()) {
            expect(row).toEqual(eventLog.waiting.get(row.id));
            if (!stays.has(row.id)) expect(isLoaded(state, row)).toBe(true);
          }
          const counted = countsOf(state);
          const off = heard.needsResync === null ? unsure(eventLog.events, { known, loaded }) : 0;
          for (const view of QUEUE_VIEWS) {
            const most = view === 'available' || view === 'escalated' ? off : 0;
            expect(Math.abs(counted[view] - now.counts[view])).toBeLessThanOrEqual(most);
          }
        },
      ),
    );
  });

  const isOwnOrEscalated = (event: DomainEvent): event is DomainEventOf<'item.claimed' | 'item.escalated'> =>
    event.type === 'item.escalated' || (event.type === 'item.claimed' && event.actor.id === ME);

  /**
   * How many events concern an unloaded escalated item, or its removal, without its status: an estimate until the counts are read
   * again.
   */
  function unsure(
    events: readonly DomainEvent[],
    { known, loaded }: { known: number; loaded: ReadonlySet<string> },
  ): number {
    const after = events.slice(known);
    const idsOf = (some: readonly DomainEvent[], ...types: DomainEvent['type'][]) =>
      new Set(some.flatMap((event) => ('item_id' in event && types.includes(event.type) ? [event.item_id] : [])));
    const [escalated, left] = [idsOf(events, 'item.escalated'), idsOf(after, 'item.decided', 'item.finalized')];
    const isUnsure = (id: string) => escalated.has(id) && (!loaded.has(id) || left.has(id));
    return after.filter((event) => 'item_id' in event && !('item' in event) && isUnsure(event.item_id)).length;
  }

  it('QU25: while another order is being read, known rows are listed in it, and then exactly those of a fresh page', () => {
    fc.assert(
      fc.property(acts, acts, fc.tuple(filter, fc.nat(12), sort, sort), (before, after, [asked, most, from, to]) => {
        fc.pre(from !== to);
        const eventLog = new EventLog().play([...ARRIVALS, ...before]);
        const old = { view: 'all', projectId: null, filter: asked, sort: from } as const;
        const known = eventLog.events.length;
        const between = run(emptyQueue(ME, old), [
          { kind: 'snapshot', snapshot: eventLog.part(asked, most + 1, from), last: true },
          { kind: 'scope', scope: { ...old, sort: to } },
          { kind: 'list_in_use', inUse: true },
          { kind: 'snapshot_requested' },
          deliver(eventLog.play(after).events.slice(known)),
        ]);
        const places = between.order.map((id) => between.shown.get(id)).filter((row) => row !== undefined);
        expect(places).toEqual([...places].sort(QUEUE_ORDER[to]));
        const snapshot = eventLog.part(asked, most + 1, to);
        const answer: QueueInput = { kind: 'snapshot', snapshot, last: true };
        const fresh = reduce(emptyQueue(ME, { ...old, sort: to }), answer);
        const state = reduce(between, answer);
        expect([state.order, state.horizon, state.readSort]).toEqual([fresh.order, fresh.horizon, to]);
      }),
    );
  });

  it('QU1: no shown row moves while the list is in use', () => {
    fc.assert(
      fc.property(acts, acts, sort, (before, after, sort) => {
        const eventLog = new EventLog().play(before);
        const seen = run(begin({ view: 'available', projectId: null, sort }), [
          deliver(eventLog.events),
          { kind: 'tick', now: Date.parse('2026-11-20T13:00:00.000Z') },
          { kind: 'list_in_use', inUse: true },
        ]);
        const known = eventLog.events.length;
        eventLog.play(after.map((each) => ({ ...each, who: ANA })));
        const state = run(seen, [deliver(eventLog.events.slice(known)), { kind: 'tick', now: Date.now() }]);
        expect(state.order).toEqual(seen.order);
      }),
    );
  });
});
