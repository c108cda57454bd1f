// Merging pages of the queue that were read at different moments.
import { describe, expect, it } from 'vitest';
import type { QueuePage, QueueView } from '@countersign/shared/api/queue';
import { Ledger, ME, PROJECTS, type Act } from './queue-ledger.fixture.ts';
import { countsOf, emptyQueue } from './queue-model.ts';
import { reduce } from './queue-state.ts';
import { readSnapshot, type PageQuery } from './snapshot.ts';

const arrivals = (count: number): Act[] => Array.from({ length: count }, () => ({ what: 'arrive', pick: 1, who: '' }));
const claim: Act = { what: 'claim', pick: 0, who: ME };

/** A server that lists at most `most` items, and plays `between` after the first page was read. */
function server(ledger: Ledger, { most, between = [] }: { most: number; between?: Act[] }) {
  const asked: PageQuery[] = [];
  const readPage = (query: PageQuery): Promise<QueuePage> => {
    const { rows, seqs } = ledger.snapshot();
    const mine = rows.filter((row) => row.claim?.user_id === ME);
    const listed: Partial<Record<QueueView, typeof rows>> = { all: rows.slice(0, most), mine };
    if (asked.push(query) === 1) ledger.play(between);
    return Promise.resolve({
      data: [...(listed[query.view] ?? [])],
      next_cursor: query.view === 'all' && rows.length > most ? 'more' : null,
      seq: null,
      seqs,
      counts: { available: rows.length - mine.length, mine: mine.length, escalated: 0, all: rows.length },
      server_time: '2026-11-20T12:00:00.000Z',
    });
  };
  return { asked, readPage };
}

describe('readSnapshot', () => {
  it('is one page when that is all there is', async () => {
    const { asked, readPage } = server(new Ledger().play(arrivals(3)), { most: 3 });
    const snapshot = await readSnapshot(readPage, PROJECTS[1]);
    expect(asked).toEqual([{ project_id: PROJECTS[1], view: 'all', limit: 500 }]);
    expect(snapshot).toMatchObject({ complete: true, horizon: null, counts: { all: 3 } });
  });

  it('adds what is always listed when there is more, and counts as old as its first page', async () => {
    const ledger = new Ledger().play(arrivals(5));
    const { asked, readPage } = server(ledger, { most: 2, between: [{ ...claim, pick: 4 }] });
    const snapshot = await readSnapshot(readPage, null);
    expect(asked.map((query) => query.view)).toEqual(['all', 'mine', 'escalated']);
    expect(snapshot).toMatchObject({ complete: false, horizon: { preview: 'item 2' }, counts: { all: 5 } });
    expect(snapshot.rows.map((row) => row.preview)).toEqual(['item 1', 'item 2', 'item 5']);
    expect(snapshot.seqs[PROJECTS[1]]).toBe(5);
  });

  it('ends up true with the facts of the meantime applied again', async () => {
    const ledger = new Ledger().play(arrivals(5));
    const { readPage } = server(ledger, { most: 2, between: [claim, { ...claim, what: 'decide' }] });
    const asked = reduce(emptyQueue(ME, { view: 'all', projectId: null }), { kind: 'asked' });
    const snapshot = await readSnapshot(readPage, null);
    const missed = reduce(asked, { kind: 'facts', facts: ledger.facts });
    const state = reduce(missed, { kind: 'snapshot', snapshot, last: true });
    expect([...state.rows.values()].map((row) => row.preview)).toEqual(['item 2']);
    expect(countsOf(state).all).toBe(4);
  });
});
