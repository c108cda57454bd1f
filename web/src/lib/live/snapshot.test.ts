// Merging pages of the queue that were read at different moments.
import { describe, expect, it } from 'vitest';
import type { QueuePage } from '@countersign/shared/api/queue';
import { Ledger, PROJECTS, type Act } from './queue-ledger.fixture.ts';
import { countsOf, emptyQueue } from './queue-model.ts';
import { reduce } from './queue-state.ts';
import { readSnapshot, type PageQuery } from './snapshot.ts';

const arrivals = (count: number): Act[] => Array.from({ length: count }, () => ({ what: 'arrive', pick: 1, who: '' }));

/** A server with one page per two rows, which plays `between` after the first page was read. */
function server(ledger: Ledger, between: Act[] = []) {
  const asked: PageQuery[] = [];
  const readPage = (query: PageQuery): Promise<QueuePage> => {
    const { rows, seqs } = ledger.snapshot();
    const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const start = query.after === undefined ? 0 : sorted.findIndex((row) => row.id > (query.after ?? ''));
    const data = query.view === 'all' && start !== -1 ? sorted.slice(start, start + 2) : [];
    const more = start !== -1 && sorted.length > start + 2;
    if (asked.push(query) === 1) ledger.play(between);
    return Promise.resolve({
      data,
      next_cursor: more ? (data.at(-1)?.id ?? null) : null,
      seq: null,
      seqs: Object.fromEntries(Object.entries(seqs)),
      counts: { available: rows.length, mine: 0, escalated: 0, all: rows.length },
      server_time: '2026-11-20T12:00:00.000Z',
    });
  };
  return { asked, readPage };
}

describe('readSnapshot', () => {
  it('reads every page when they are few, and counts as old as the first', async () => {
    const ledger = new Ledger().play(arrivals(3));
    const { asked, readPage } = server(ledger, [{ what: 'claim', pick: 0, who: '' }, ...arrivals(1)]);
    const snapshot = await readSnapshot(readPage, null);
    expect(asked.map((query) => query.view)).toEqual(['all', 'all']);
    expect(snapshot).toMatchObject({ complete: true, horizon: null });
    expect(snapshot.rows).toHaveLength(4);
    expect(snapshot.seqs[PROJECTS[1]]).toBe(3);
  });

  it('ends up true with the facts of the meantime applied again', async () => {
    const ledger = new Ledger().play(arrivals(3));
    const claim: Act = { what: 'claim', pick: 0, who: 'ana' };
    const { readPage } = server(ledger, [claim, { ...claim, what: 'decide' }]);
    const asked = reduce(emptyQueue('me', { view: 'all', projectId: null }), { kind: 'asked' });
    const snapshot = await readSnapshot(readPage, null);
    const missed = reduce(asked, { kind: 'facts', facts: ledger.facts });
    const state = reduce(missed, { kind: 'snapshot', snapshot });
    expect([...state.rows.keys()].sort()).toEqual([...ledger.waiting.keys()].sort());
    expect(countsOf(state).all).toBe(2);
  });

  it('stops at the horizon and asks for what is always listed', async () => {
    const ledger = new Ledger().play(arrivals(12));
    const { asked, readPage } = server(ledger);
    const snapshot = await readSnapshot(readPage, PROJECTS[1]);
    expect(asked.map((query) => query.view)).toEqual(['all', 'all', 'all', 'all', 'mine', 'escalated']);
    expect(asked.every((query) => query.project_id === PROJECTS[1])).toBe(true);
    expect(snapshot).toMatchObject({ complete: false, horizon: { preview: 'item 8' }, counts: { all: 12 } });
  });
});
