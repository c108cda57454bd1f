// Properties of a queue that is read in two steps: with events in between, no row is missing, twice or moved (QU31).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUEUE_VIEWS } from '@countersign/shared/enums';
import { answers } from '@countersign/shared/filters/queue-filter';
import { QUEUE_ORDER, QUEUE_SORTS } from '@countersign/shared/filters/queue-order';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import type { QueuePage } from '@countersign/shared/schemas/queue';
import { ANA, EventLog, ME, type Act } from './event-log.fixture.ts';
import {
  belongs,
  countsOf,
  emptyQueue,
  entriesOf,
  isWithinHorizon,
  type QueueState,
  type Scope,
} from './queue-model.ts';
import { reduce, type QueueInput } from './queue-state.ts';
import { readSnapshot, type PageQuery } from './snapshot.ts';

const WHATS = ['arrive', 'arrive', 'claim', 'release', 'decide', 'undo', 'escalate', 'withdraw'] as const;
const actOf = (...people: string[]) =>
  fc.record({ what: fc.constantFrom(...WHATS), pick: fc.nat(200), who: fc.constantFrom(...people) });
const acts = (...people: string[]): fc.Arbitrary<Act[]> => fc.array(actOf(...people), { maxLength: 40 });
/** More than the first rows, and fewer than a page. */
const ARRIVALS: Act[] = Array.from({ length: 150 }, (_, pick) => ({ what: 'arrive', pick, who: ANA }));

const scope: fc.Arbitrary<Scope> = fc.record({
  view: fc.constantFrom(...QUEUE_VIEWS),
  projectId: fc.constant(null),
  sort: fc.constantFrom(...QUEUE_SORTS),
  filter: fc.constantFrom({}, { text: 'ITEM 1' }, { min_confidence: 0.2 }),
});

const isMine = ({ claim }: ItemRow): boolean => claim?.user_id === ME;

/** The pages of an event log as a server reads them: a cursor is the place of the last row. */
function pageOf(eventLog: EventLog, { view, sort = 'due', after, limit, ...filter }: PageQuery): QueuePage {
  const { seqs } = eventLog.snapshot();
  const order = QUEUE_ORDER[sort];
  const { rows, counts } = eventLog.part({}, Infinity, sort);
  const isOfView = (row: ItemRow) =>
    view === 'all' || (view === 'mine' && isMine(row)) || (view === 'escalated' && row.status === 'escalated');
  const place = after === undefined ? null : (JSON.parse(after) as ItemRow);
  const listed = [...rows].sort(order).filter((row) => isOfView(row) && answers(filter, row));
  const following = listed.filter((row) => place === null || order(row, place) > 0);
  const data = following.slice(0, limit);
  const until = following.length > limit ? (data.at(-1) ?? null) : null;
  const next_cursor = until && JSON.stringify(until);
  return { data, next_cursor, until, seq: null, seqs, counts, server_time: '2026-11-20T12:00:00.000Z' };
}

/** Reads a queue while `between[n]` happens after the answer to request n; all its states, and those at the offers. */
async function readWhile(eventLog: EventLog, scope: Scope, { between, inUse }: { between: Act[][]; inUse: boolean }) {
  let state = emptyQueue(ME, scope);
  const offered: QueueState[] = [];
  const apply = (input: QueueInput) => (state = reduce(state, input));
  let known = eventLog.events.length;
  let asked = 0;
  apply({ kind: 'snapshot_requested' });
  const readPage = (query: PageQuery) => {
    const page = pageOf(eventLog, query);
    eventLog.play(between[asked++] ?? []);
    apply({ kind: 'events', events: eventLog.events.slice(known) });
    known = eventLog.events.length;
    return Promise.resolve(page);
  };
  const wanted = {
    ...{ view: scope.view, projectId: null, filter: scope.filter ?? {}, sort: scope.sort ?? 'due', complete: true },
    ...{ rows: 500, isInView: (row: ItemRow) => belongs(state, row), isMine },
  } as const;
  const snapshot = await readSnapshot(readPage, wanted, (first) => {
    offered.push(apply({ kind: 'snapshot', snapshot: first, last: false }));
    apply({ kind: 'list_in_use', inUse });
  });
  apply({ kind: 'snapshot', snapshot, last: true });
  return { state, offered };
}

describe('QU31: a queue that is read in two steps', () => {
  it('has every row once and the right counts, with any events between the answers', async () => {
    const between = fc.array(acts(ANA, ME), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(acts(ANA, ME), between, scope, fc.boolean(), async (before, between, scope, inUse) => {
        const eventLog = new EventLog().play([...ARRIVALS, ...before]);
        const { state } = await readWhile(eventLog, scope, { between, inUse });
        const byId = (a: ItemRow, b: ItemRow) => a.id.localeCompare(b.id);
        expect([state.needsResync, state.restPending, state.buffer]).toEqual([null, false, null]);
        expect([...state.rows.values()].sort(byId)).toEqual([...eventLog.waiting.values()].sort(byId));
        const rows = entriesOf(state).flatMap(({ id, removal }) => (removal === null ? [id] : []));
        const wanted = [...eventLog.waiting.values()].filter((row) => belongs(state, row)).map(({ id }) => id);
        expect([...rows, ...state.heldBack].sort()).toEqual(wanted.sort());
        expect(countsOf(state).all).toBe(eventLog.waiting.size);
      }),
    );
  });

  it('shows the first rows with the counts of the server, and nothing of them moves while the list is in use', async () => {
    const between = fc.array(acts(ANA), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(acts(ANA, ME), between, scope, async (before, between, scope) => {
        const eventLog = new EventLog().play([...ARRIVALS, ...before]);
        const { state, offered } = await readWhile(eventLog, scope, { between: [[], ...between], inUse: true });
        const [first] = offered;
        if (first === undefined) return;
        const { counts } = eventLog.part({}, Infinity);
        if (between.every((some) => some.length === 0)) expect(countsOf(first)).toMatchObject({ all: counts.all });
        // The user's own rows are listed wherever they are: others may come before one that is behind the first rows.
        const firstRows = first.order.filter((id) => {
          const row = first.shown.get(id);
          return row !== undefined && isWithinHorizon({ ...first, me: '' }, row);
        });
        expect(state.order.slice(0, firstRows.length)).toEqual(firstRows);
      }),
    );
  });

  it('reads its first rows alone, whenever its list has some among them', async () => {
    const eventLog = new EventLog().play(ARRIVALS);
    for (const view of QUEUE_VIEWS) {
      const { offered } = await readWhile(eventLog, { view, projectId: null }, { between: [], inUse: false });
      expect(offered.map(({ rows, horizon }) => [rows.size, horizon !== null])).toEqual([[60, true]]);
    }
  });
});
