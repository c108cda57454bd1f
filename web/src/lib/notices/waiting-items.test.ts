// NO7: which items a notice may count, by the role of the user, from rows and from arrivals beyond them.
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { describe, expect, it } from 'vitest';
import { emptyQueue, type QueueState } from '../live/queue/queue-model.ts';
import { Arrivals } from './waiting-items.ts';

const CREATED = '2026-03-02T12:00:00.000Z';
const LATER = '2026-03-02T12:10:00.000Z';
const BY_ANA = { user_id: 'ana', name: 'Ana', expires_at: LATER };

const row = (id: string, fields: Partial<ItemRow> = {}): ItemRow => ({
  ...PLAIN_ITEM,
  ...{ id, project_id: 'support', status: 'queued', preview: 'private words', title: 'private title', confidence: 0.5 },
  ...{ risk_flags: [], model: null, source: null, created_at: CREATED, due_at: LATER, version: 1, claim: null },
  ...fields,
});
const queueOf = (rows: ItemRow[], fields: Partial<QueueState> = {}): QueueState => ({
  ...emptyQueue('me', { view: 'available', projectId: null }),
  rows: new Map(rows.map((each) => [each.id, each])),
  ...fields,
});
const event = (type: DomainEvent['type'], item: ItemRow): DomainEvent =>
  ({ type, item_id: item.id, item, server_time: LATER }) as unknown as DomainEvent;
const ids = (arrivals: Arrivals, state: QueueState) => arrivals.waiting(state, () => 'Support').map(({ id }) => id);

const ROWS = [
  row('free'),
  row('mine', { claim: { ...BY_ANA, user_id: 'me' } }),
  row('hers', { claim: BY_ANA }),
  row('escalated', { status: 'escalated' }),
];

describe('NO7: the items of a notice', () => {
  it('are those that a reviewer could claim or holds', () => {
    expect(ids(new Arrivals(), queueOf(ROWS))).toEqual(['free', 'mine']);
  });

  it('include escalated ones for a supervisor, and leave out a decision that is being saved', () => {
    const saving = new Map([['free', { what: 'approved', by: '', mine: true, at: LATER, undoUntil: null } as const]]);
    const state = queueOf(ROWS, { supervised: new Set(['support']), saving });
    expect(ids(new Arrivals(), state)).toEqual(['mine', 'escalated']);
  });

  it('carry a project and times, and nothing of the content', () => {
    const deadline = { at: LATER, on_deadline: 'expire', span_seconds: 600, extended: false } as const;
    const [item] = new Arrivals().waiting(queueOf([row('a', { deadline })]), (id) => `Project ${id}`);
    expect(item).toEqual({
      ...{ id: 'a', project: 'Project support', mine: false },
      ...{ deadline: Date.parse(LATER), arrivedAt: Date.parse(CREATED) },
    });
  });

  it('arrived when they last came to those who may decide them', () => {
    const arrivals = new Arrivals();
    const escalated = row('old', { status: 'escalated' });
    arrivals.receive(event('item.escalated', escalated));
    const state = queueOf([escalated], { supervised: new Set(['support']) });
    expect(arrivals.waiting(state, () => '')[0]?.arrivedAt).toBe(Date.parse(LATER));
  });

  it('include arrivals that the queue has not loaded, until they change', () => {
    const arrivals = new Arrivals();
    for (const id of ['a', 'b', 'c', 'd']) arrivals.receive(event('item.queued', row(id)));
    expect(ids(arrivals, queueOf([]))).toEqual(['a', 'b', 'c', 'd']);
    arrivals.receive(event('item.decided', row('a')));
    arrivals.receive(event('delivery.changed', row('d')));
    // The queue knows more of them.
    expect(ids(arrivals, queueOf([row('b', { claim: BY_ANA })], { versions: new Map([['c', 2]]) }))).toEqual(['d']);
    arrivals.forgetRows();
    expect(ids(arrivals, queueOf([]))).toEqual([]);
  });
});
