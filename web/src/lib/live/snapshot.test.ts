// Merging pages of the queue that were read at different moments.
import { describe, expect, it } from 'vitest';
import type { QueuePage, QueueView } from '@countersign/shared/api/queue';
import { answers } from '@countersign/shared/queue-filter';
import { Ledger, ME, PROJECTS, type Act } from './queue-ledger.fixture.ts';
import { countsOf, emptyQueue } from './queue-model.ts';
import { reduce } from './queue-state.ts';
import { readSnapshot, type PageQuery, type Wanted } from './snapshot.ts';

const arrivals = (count: number): Act[] => Array.from({ length: count }, () => ({ what: 'arrive', pick: 1, who: '' }));
const claim: Act = { what: 'claim', pick: 0, who: ME };

/** A server that lists at most `most` items a page, and plays `between` after the first page was read. */
function server(ledger: Ledger, { most, between = [] }: { most: number; between?: Act[] }) {
  const asked: Omit<PageQuery, 'limit'>[] = [];
  const readPage = ({ limit: _, ...query }: PageQuery): Promise<QueuePage> => {
    const { rows, seqs } = ledger.snapshot();
    const mine = rows.filter((row) => row.claim?.user_id === ME);
    const escalated = rows.filter((row) => row.status === 'escalated');
    const views: Record<QueueView, typeof rows> = { all: rows, mine, escalated, available: [] };
    const after = Number(query.after ?? 0);
    const listed = views[query.view].filter((row) => answers(query, row));
    const data = listed.slice(after, after + most);
    const more = listed.length > after + most;
    if (asked.push(query) === 1) ledger.play(between);
    return Promise.resolve({
      data,
      next_cursor: more ? String(after + most) : null,
      until: more ? (data.at(-1) ?? null) : null,
      seq: null,
      seqs,
      counts: { available: rows.length - mine.length, mine: mine.length, escalated: 0, all: rows.length },
      server_time: '2026-11-20T12:00:00.000Z',
    });
  };
  return { asked, readPage };
}

const WANTED: Wanted = { view: 'all', projectId: null, filter: {}, complete: true, rows: 1, isLine: () => true };
const enough = (wanted: Partial<Wanted> = {}): Wanted => ({ ...WANTED, ...wanted });

describe('readSnapshot', () => {
  it('is one page when that is all there is, whatever the filter', async () => {
    for (const filter of [{}, { text: 'item 2' }]) {
      const { asked, readPage } = server(new Ledger().play(arrivals(3)), { most: 3 });
      const snapshot = await readSnapshot(readPage, enough({ projectId: PROJECTS[1], filter }));
      expect(asked).toEqual([{ project_id: PROJECTS[1], view: 'all' }]);
      expect(snapshot).toMatchObject({ complete: true, filter: {}, horizon: null, counts: { all: 3 } });
      expect(snapshot.rows).toHaveLength(3);
    }
  });

  it('adds what is always listed when there is more, and counts as old as its first page', async () => {
    const ledger = new Ledger().play(arrivals(300));
    const { asked, readPage } = server(ledger, { most: 100, between: [{ ...claim, pick: 299 }] });
    const snapshot = await readSnapshot(readPage, enough());
    expect(asked.map((query) => query.view)).toEqual(['all', 'mine', 'escalated']);
    expect(snapshot).toMatchObject({ complete: false, horizon: { preview: 'item 100' }, counts: { all: 300 } });
    expect(snapshot.rows.map((row) => row.preview).slice(99)).toEqual(['item 100', 'item 300']);
    expect(snapshot.seqs[PROJECTS[1]]).toBe(300);
  });

  it('reads on until there are as many rows as wanted', async () => {
    const { asked, readPage } = server(new Ledger().play(arrivals(600)), { most: 100 });
    const snapshot = await readSnapshot(readPage, enough({ rows: 250 }));
    expect(asked.map((query) => query.after)).toEqual([undefined, '100', '200', undefined, undefined]);
    expect(snapshot).toMatchObject({ complete: false, horizon: { preview: 'item 300' } });
  });

  it('reads on while the lines of the view are few, and not for ever', async () => {
    const ledger = new Ledger().play(arrivals(3000));
    const { asked, readPage } = server(ledger, { most: 100 });
    const late = await readSnapshot(
      readPage,
      enough({ isLine: (row) => row.preview > 'item 4' && row.preview < 'item 5' }),
    );
    expect(late.rows.length).toBe(500);
    const { asked: askedMore, readPage: readMore } = server(ledger, { most: 100 });
    await readSnapshot(readMore, enough({ isLine: () => false }));
    expect([asked.length, askedMore.length]).toEqual([5 + 2, 8 + 2]);
  });

  it('reads on among the escalated ones where they are the list, and among nothing else', async () => {
    const ledger = new Ledger().play(arrivals(900));
    for (let pick = 0; pick < 700; pick += 1)
      ledger.play([
        { ...claim, pick },
        { ...claim, pick, what: 'escalate' },
      ]);
    const { asked, readPage } = server(ledger, { most: 100 });
    const snapshot = await readSnapshot(readPage, enough({ view: 'escalated', rows: 250 }));
    expect(asked.map(({ view, after }) => [view, after])).toEqual([
      ['all', undefined],
      ['mine', undefined],
      ['escalated', undefined],
      ['escalated', '100'],
      ['escalated', '200'],
    ]);
    const escalated = snapshot.rows.filter(({ status }) => status === 'escalated');
    expect(escalated.length).toBeGreaterThanOrEqual(300);
    expect(snapshot.escalatedHorizon).not.toBeNull();
  });

  it('asks the server for what answers the filter, once more waits than a page holds', async () => {
    const ledger = new Ledger().play(arrivals(300));
    const filter = { text: 'ITEM 29' };
    const { asked, readPage } = server(ledger, { most: 100, between: [{ ...claim, pick: 0 }] });
    const snapshot = await readSnapshot(readPage, enough({ filter }));
    expect(asked.slice(0, 2)).toEqual([{ view: 'all' }, { ...filter, view: 'all' }]);
    expect(snapshot).toMatchObject({ complete: false, filter, horizon: null });
    expect(snapshot.rows.map((row) => row.preview).sort()).toEqual(
      ['item 1', 'item 29', ...Array.from({ length: 10 }, (_, at) => `item ${290 + at}`)].sort(),
    );
    const again = server(ledger, { most: 100 });
    await readSnapshot(again.readPage, enough({ filter, complete: false }));
    expect(again.asked[0]).toEqual({ ...filter, view: 'all' });
  });

  it('ends up true with the facts of the meantime applied again', async () => {
    const ledger = new Ledger().play(arrivals(300));
    const { readPage } = server(ledger, { most: 100, between: [claim, { ...claim, what: 'decide' }] });
    const asked = reduce(emptyQueue(ME, { view: 'all', projectId: null }), { kind: 'asked' });
    const snapshot = await readSnapshot(readPage, enough());
    const missed = reduce(asked, { kind: 'facts', facts: ledger.facts });
    const state = reduce(missed, { kind: 'snapshot', snapshot, last: true });
    expect([...state.rows.values()].map((row) => row.preview).slice(0, 2)).toEqual(['item 2', 'item 3']);
    expect(countsOf(state).all).toBe(299);
  });
});
