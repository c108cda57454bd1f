// Merges pages of the queue that were read at different moments.
import { describe, expect, it } from 'vitest';
import type { QueuePage } from '@countersign/shared/schemas/queue';
import type { QueueView } from '@countersign/shared/enums';
import { answers } from '@countersign/shared/filters/queue-filter';
import { EventLog, ME, PROJECTS, type Act } from './event-log.fixture.ts';
import { countsOf, emptyQueue } from './queue-model.ts';
import { reduce } from './queue-state.ts';
import { readSnapshot, type PageQuery, type SnapshotRequest } from './snapshot.ts';

const arrivals = (count: number): Act[] => Array.from({ length: count }, () => ({ what: 'arrive', pick: 1, who: '' }));
const claim: Act = { what: 'claim', pick: 0, who: ME };

/** A server that lists at most `most` items a page, and plays `between` after the first page was read. */
function server(eventLog: EventLog, { most, between = [] }: { most: number; between?: Act[] }) {
  const requests: Omit<PageQuery, 'limit'>[] = [];
  const readPage = ({ limit: _, ...query }: PageQuery): Promise<QueuePage> => {
    const { rows, seqs } = eventLog.snapshot();
    const mine = rows.filter((row) => row.claim?.user_id === ME);
    const escalated = rows.filter((row) => row.status === 'escalated');
    const views: Record<QueueView, typeof rows> = { all: rows, mine, escalated, available: [] };
    const after = Number(query.after ?? 0);
    const listed = views[query.view].filter((row) => answers(query, row));
    const data = listed.slice(after, after + most);
    const more = listed.length > after + most;
    if (requests.push(query) === 1) eventLog.play(between);
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
  return { requests, readPage };
}

const WANTED: SnapshotRequest = {
  view: 'all',
  projectId: null,
  filter: {},
  sort: 'due',
  complete: true,
  rows: 1,
  isInView: () => true,
  isMine: ({ claim }) => claim?.user_id === ME,
};
const enough = (wanted: Partial<SnapshotRequest> = {}): SnapshotRequest => ({ ...WANTED, ...wanted });

describe('readSnapshot', () => {
  it('reads one page when that is everything, for any filter', async () => {
    for (const filter of [{}, { text: 'item 2' }]) {
      const { requests, readPage } = server(new EventLog().play(arrivals(3)), { most: 3 });
      const snapshot = await readSnapshot(readPage, enough({ projectId: PROJECTS[1], filter }));
      expect(requests).toEqual([{ project_id: PROJECTS[1], view: 'all' }]);
      expect(snapshot).toMatchObject({ complete: true, filter: {}, horizon: null, counts: { all: 3 } });
      expect(snapshot.rows).toHaveLength(3);
    }
  });

  it('adds the always listed items when there is more, and counts as old as its first page', async () => {
    const eventLog = new EventLog().play(arrivals(300));
    const { requests, readPage } = server(eventLog, { most: 100, between: [{ ...claim, pick: 299 }] });
    const snapshot = await readSnapshot(readPage, enough());
    expect(requests.map((query) => query.view)).toEqual(['all', 'mine', 'escalated']);
    expect(snapshot).toMatchObject({ complete: false, horizon: { preview: 'item 100' }, counts: { all: 300 } });
    expect(snapshot.rows.map((row) => row.preview).slice(99)).toEqual(['item 100', 'item 300']);
    expect(snapshot.seqs[PROJECTS[1]]).toBe(300);
  });

  it('reads on until there are as many rows as requested', async () => {
    const { requests, readPage } = server(new EventLog().play(arrivals(600)), { most: 100 });
    const snapshot = await readSnapshot(readPage, enough({ rows: 250 }));
    expect(requests.map((query) => query.after)).toEqual([undefined, '100', '200', undefined, undefined]);
    expect(snapshot).toMatchObject({ complete: false, horizon: { preview: 'item 300' } });
  });

  it('reads on while the view has few rows, but not forever', async () => {
    const eventLog = new EventLog().play(arrivals(3000));
    const { requests, readPage } = server(eventLog, { most: 100 });
    const late = await readSnapshot(
      readPage,
      enough({ isInView: (row) => row.preview > 'item 4' && row.preview < 'item 5' }),
    );
    expect(late.rows.length).toBe(500);
    const { requests: moreRequests, readPage: readMore } = server(eventLog, { most: 100 });
    await readSnapshot(readMore, enough({ isInView: () => false }));
    expect([requests.length, moreRequests.length]).toEqual([5 + 2, 8 + 2]);
  });

  it('reads on among the escalated items where the list shows them, and only there', async () => {
    const eventLog = new EventLog().play(arrivals(900));
    for (let pick = 0; pick < 700; pick += 1)
      eventLog.play([
        { ...claim, pick },
        { ...claim, pick, what: 'escalate' },
      ]);
    const { requests, readPage } = server(eventLog, { most: 100 });
    const snapshot = await readSnapshot(readPage, enough({ view: 'escalated', rows: 250 }));
    expect(requests.map(({ view, after }) => [view, after])).toEqual([
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

  it('requests only matching rows, once more wait than a page holds', async () => {
    const eventLog = new EventLog().play(arrivals(300));
    const filter = { text: 'ITEM 29' };
    const { requests, readPage } = server(eventLog, { most: 100, between: [{ ...claim, pick: 0 }] });
    const snapshot = await readSnapshot(readPage, enough({ filter }));
    expect(requests.slice(0, 2)).toEqual([{ view: 'all' }, { ...filter, view: 'all' }]);
    expect(snapshot).toMatchObject({ complete: false, filter, horizon: null });
    expect(snapshot.rows.map((row) => row.preview).sort()).toEqual(
      ['item 1', 'item 29', ...Array.from({ length: 10 }, (_, at) => `item ${290 + at}`)].sort(),
    );
    const again = server(eventLog, { most: 100 });
    await readSnapshot(again.readPage, enough({ filter, complete: false }));
    expect(again.requests[0]).toEqual({ ...filter, view: 'all' });
  });

  it('ends up correct with the events in between applied again', async () => {
    const eventLog = new EventLog().play(arrivals(300));
    const { readPage } = server(eventLog, { most: 100, between: [claim, { ...claim, what: 'decide' }] });
    const requests = reduce(emptyQueue(ME, { view: 'all', projectId: null }), { kind: 'snapshot_requested' });
    const snapshot = await readSnapshot(readPage, enough());
    const missed = reduce(requests, { kind: 'events', events: eventLog.events });
    const state = reduce(missed, { kind: 'snapshot', snapshot, last: true });
    expect([...state.rows.values()].map((row) => row.preview).slice(0, 2)).toEqual(['item 2', 'item 3']);
    expect(countsOf(state).all).toBe(299);
  });
});
