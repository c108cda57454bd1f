// Properties of the live queue: whatever order, repetition or loss the network invents, the page ends up true.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, FactOf } from '@countersign/shared/events';
import { QUEUE_VIEWS } from '@countersign/shared/api/queue';
import { answers, type QueueFilter } from '@countersign/shared/queue-filter';
import { ANA, Ledger, ME, PROJECTS, type Act } from './queue-ledger.fixture.ts';
import {
  belongs,
  compareRows,
  countsOf,
  emptyQueue,
  entriesOf,
  isKept,
  type QueueState,
  type Scope,
} from './queue-model.ts';
import { reduce, type QueueInput } from './queue-state.ts';

const WHATS = [
  ...['arrive', 'arrive', 'arrive', 'claim', 'claim', 'release', 'decide', 'decide', 'undo', 'finalize'],
  ...['escalate', 'return', 'deliver', 'settings'],
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
const scope: fc.Arbitrary<Scope> = fc.record({
  view: fc.constantFrom(...QUEUE_VIEWS),
  projectId: fc.constantFrom(null, PROJECTS[0]),
  filter,
});

const run = (state: QueueState, inputs: QueueInput[]): QueueState => inputs.reduce(reduce, state);
const deliver = (facts: readonly Fact[]): QueueInput => ({ kind: 'facts', facts });
const begin = (where: Scope): QueueState =>
  run(emptyQueue(ME, where), [{ kind: 'snapshot', snapshot: new Ledger().snapshot(), last: true }]);

/** What is true, without what is only on the screen. */
const truth = (state: QueueState) => ({
  rows: [...state.rows.values()].sort(compareRows),
  counts: countsOf(state),
});
const lines = (state: QueueState) => entriesOf(state).filter((entry) => entry.leave === null);

describe('live queue, properties', () => {
  it('repeats and late duplicates change nothing: the state is that of in-order delivery', () => {
    fc.assert(
      fc.property(acts, scope, fc.array(fc.nat(1000)), (played, where, repeats) => {
        const { facts } = new Ledger().play(played);
        const inOrder = run(
          begin(where),
          facts.map((fact) => deliver([fact])),
        );
        const noisy = facts.flatMap((fact, index) => [
          fact,
          ...repeats
            .filter((at) => at % facts.length === index)
            .flatMap((at) => facts.slice(0, (at % (index + 1)) + 1)),
        ]);
        const state = run(begin(where), [deliver(noisy), deliver(facts)]);
        expect(state).toEqual(inOrder);
        expect(state.needsResync).toBeNull();
      }),
    );
  });

  it('A10: a gap always asks for a resync of its project, and the snapshot mends it', () => {
    fc.assert(
      fc.property(acts, fc.nat(), (played, at) => {
        const ledger = new Ledger().play(played);
        const lost = ledger.facts[at % ledger.facts.length];
        const later = ledger.facts.some((fact) => fact.project_id === lost?.project_id && fact.seq > (lost?.seq ?? 0));
        fc.pre(lost !== undefined && later);
        const gapped = reduce(begin({ view: 'all', projectId: null }), deliver(ledger.facts.filter((f) => f !== lost)));
        expect(gapped.needsResync).toBe(lost?.project_id);
        const mended = reduce(gapped, { kind: 'snapshot', snapshot: ledger.snapshot(), last: true });
        expect(mended.needsResync).toBeNull();
        expect(truth(mended).rows).toEqual([...ledger.waiting.values()].sort(compareRows));
      }),
    );
  });

  it('no line appears twice and lines stand in order, whatever is held, shown, swept or turned to', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('use' as const), inUse: fc.boolean() }),
      fc.constant({ kind: 'show' as const }),
      fc.constant({ kind: 'tick' as const, now: Date.parse('2026-11-20T12:00:08.000Z') }),
      fc.record({
        kind: fc.constant('scope' as const),
        scope: fc.record({ view: fc.constantFrom(...QUEUE_VIEWS), projectId: fc.constant(null), filter }),
      }),
    );
    fc.assert(
      fc.property(acts, fc.array(fc.tuple(fc.nat(60), step)), (played, steps) => {
        const { facts } = new Ledger().play(played);
        let state = begin({ view: 'available', projectId: null });
        facts.forEach((fact, index) => {
          state = reduce(state, deliver([fact]));
          for (const [at, input] of steps) if (at === index) state = reduce(state, input);
          const ids = entriesOf(state).map((entry) => entry.id);
          expect(new Set(ids).size).toBe(ids.length);
          const places = ids.map((id) => state.shown.get(id)).filter((row) => row !== undefined);
          expect(places).toEqual([...places].sort(compareRows));
          for (const id of state.held) expect(ids).not.toContain(id);
        });
      }),
    );
  });

  it('every waiting item of the view is a line or held; every other line is a tombstone', () => {
    fc.assert(
      fc.property(acts, scope, fc.boolean(), (played, where, inUse) => {
        const { facts } = new Ledger().play(played);
        const state = run(begin(where), [{ kind: 'use', inUse }, deliver(facts)]);
        const wanted = [...state.rows.values()].filter((row) => belongs(state, row)).map((row) => row.id);
        for (const { row } of lines(state)) expect(answers(where.filter ?? {}, row)).toBe(true);
        expect([...lines(state).map((entry) => entry.id), ...state.held].sort()).toEqual(wanted.sort());
      }),
    );
  });

  it('a snapshot and then newer facts equals all facts, with the facts of the meantime delivered early, late or twice', () => {
    fc.assert(
      fc.property(acts, acts, scope, fc.boolean(), (before, after, where, early) => {
        const ledger = new Ledger().play(before);
        const snapshot = { ...ledger.snapshot(), rows: [...ledger.waiting.values()] };
        const known = ledger.facts.length;
        ledger.play(after);
        const newer = ledger.facts.slice(known);
        const all = reduce(begin(where), deliver(ledger.facts));
        const state = early
          ? run(emptyQueue(ME, where), [{ kind: 'asked' }, deliver(newer), { kind: 'snapshot', snapshot, last: true }])
          : run(emptyQueue(ME, where), [{ kind: 'snapshot', snapshot, last: true }, deliver(newer), deliver(newer)]);
        expect(inScope(state)).toEqual(inScope(all));
      }),
    );
    /** A snapshot of every project may carry rows that a project filter leaves out. */
    function inScope(state: QueueState) {
      const mine = truth(state).rows.filter((row) => [null, row.project_id].includes(state.scope.projectId));
      return { rows: mine, lines: lines(state).map((entry) => entry.id) };
    }
  });

  it('of a queue that is not loaded whole, lines and counts stay those of a fresh page, and nothing beyond is kept', () => {
    fc.assert(
      fc.property(
        acts,
        acts,
        fc.tuple(filter, fc.constantFrom(...QUEUE_VIEWS), fc.nat(12)),
        (before, after, [asked, view, most]) => {
          const ledger = new Ledger().play([...ARRIVALS, ...before]);
          const known = ledger.facts.length;
          const first = ledger.part(asked, most + 1);
          const heard = run(emptyQueue(ME, { view, projectId: null, filter: asked }), [
            { kind: 'snapshot', snapshot: first, last: true },
            deliver(ledger.play(after).facts.slice(known)),
          ]);
          const again = ledger.part(asked, most + 1);
          const part = heard.needsResync === null ? first : again;
          const state =
            heard.needsResync === null ? heard : reduce(heard, { kind: 'snapshot', snapshot: again, last: true });
          const now = ledger.part(asked, Infinity);
          const fresh = run(emptyQueue(ME, state.scope), [
            { kind: 'snapshot', snapshot: { ...now, horizon: part.horizon }, last: true },
          ]);
          // A row that was once the reader's or escalated stays; everything else that is kept is of the part that was read.
          const loaded = new Set(part.rows.map(({ id }) => id));
          const came = ledger.facts.slice(known).flatMap((fact) => (isOwnOrEscalated(fact) ? [fact.item_id] : []));
          const stays = new Set([...loaded, ...came]);
          const ids = (entries: readonly { id: string; leave: unknown }[]) =>
            entries.filter(({ id, leave }) => leave === null && !stays.has(id)).map(({ id }) => id);
          expect(ids(entriesOf(state))).toEqual(ids(entriesOf(fresh)));
          for (const row of state.rows.values()) {
            expect(row).toEqual(ledger.waiting.get(row.id));
            if (!stays.has(row.id)) expect(isKept(state, row)).toBe(true);
          }
          const counted = countsOf(state);
          const off = heard.needsResync === null ? unsure(ledger.facts, { known, loaded }) : 0;
          for (const view of QUEUE_VIEWS) {
            const most = view === 'available' || view === 'escalated' ? off : 0;
            expect(Math.abs(counted[view] - now.counts[view])).toBeLessThanOrEqual(most);
          }
        },
      ),
    );
  });

  const isOwnOrEscalated = (fact: Fact): fact is FactOf<'item.claimed' | 'item.escalated'> =>
    fact.type === 'item.escalated' || (fact.type === 'item.claimed' && fact.actor.id === ME);

  /** How many facts tell of an escalated item that is not loaded, or left, without its status: until it is counted anew, a guess. */
  function unsure(facts: readonly Fact[], { known, loaded }: { known: number; loaded: ReadonlySet<string> }): number {
    const after = facts.slice(known);
    const idsOf = (some: readonly Fact[], ...types: Fact['type'][]) =>
      new Set(some.flatMap((fact) => ('item_id' in fact && types.includes(fact.type) ? [fact.item_id] : [])));
    const [escalated, left] = [idsOf(facts, 'item.escalated'), idsOf(after, 'item.decided', 'item.finalized')];
    const isUnsure = (id: string) => escalated.has(id) && (!loaded.has(id) || left.has(id));
    return after.filter((fact) => 'item_id' in fact && !('item' in fact) && isUnsure(fact.item_id)).length;
  }

  it('QU1: nothing that is shown moves while the list is in use', () => {
    fc.assert(
      fc.property(acts, acts, (before, after) => {
        const ledger = new Ledger().play(before);
        const seen = run(begin({ view: 'available', projectId: null }), [
          deliver(ledger.facts),
          { kind: 'tick', now: Date.parse('2026-11-20T13:00:00.000Z') },
          { kind: 'use', inUse: true },
        ]);
        const known = ledger.facts.length;
        ledger.play(after.map((each) => ({ ...each, who: ANA })));
        const state = run(seen, [deliver(ledger.facts.slice(known)), { kind: 'tick', now: Date.now() }]);
        expect(state.order).toEqual(seen.order);
      }),
    );
  });
});
