// A tab that stays open: memory and the cost of each batch are bounded for any number of events.
import { describe, expect, it } from 'vitest';
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { ActorRef, DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { ANA, EventLog, ME, PROJECTS, type Act } from './event-log.fixture.ts';
import { countsOf, emptyQueue, entriesOf, type QueueState } from './queue-model.ts';
import { reduce } from './queue-state.ts';

const EVENT_COUNT = 100_000;
const BATCH = 200;
const SYSTEM: ActorRef = { kind: 'system', id: null, name: 'system' };
const SOMEBODY: ActorRef = { kind: 'member', id: ANA, name: 'Ana' };
const START = Date.parse('2026-11-20T12:00:00.000Z');
const SECOND = 1000;

/** How often a row's position was read: the cost of sorting. */
let looked = 0;

/** Items that arrive, half of them due in the order of arrival, half before others; at times one is claimed or decided. */
function* eventLogOf(count: number): Generator<DomainEvent[], void> {
  const waiting: ItemRow[] = [];
  let random = 7;
  const pick = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
  let batch: DomainEvent[] = [];
  for (let seq = 1; seq <= count; seq++) {
    const server_time = new Date(START + seq * 5).toISOString();
    const sequenced = { seq, project_id: PROJECTS[0], server_time };
    const old = seq % 5 > 2 ? waiting[pick(waiting.length)] : undefined;
    if (old === undefined) {
      const id = `00000000-0000-4000-9000-${String(seq).padStart(12, '0')}`;
      const due = new Date(START + (seq % 2 === 0 ? seq : pick(count)) * SECOND).toISOString();
      const status = seq % 50 === 0 ? ('escalated' as const) : ('queued' as const);
      const item: ItemRow = {
        ...PLAIN_ITEM,
        ...{
          id,
          project_id: PROJECTS[0],
          status,
          preview: `item ${seq}`,
          confidence: 0.5,
          risk_flags: [],
          model: null,
        },
        ...{ source: null, created_at: server_time, version: 1, claim: null },
        get due_at() {
          looked += 1;
          return due;
        },
      };
      waiting.push(item);
      const type = status === 'queued' ? 'item.queued' : 'item.escalated';
      batch.push({ type, ...sequenced, actor: SYSTEM, item_id: id, version: 1, item, reason: null });
    } else if (old.version === 1) {
      old.version = 2;
      batch.push({
        type: 'item.claimed',
        ...sequenced,
        actor: SOMEBODY,
        item_id: old.id,
        version: 2,
        expires_at: server_time,
      });
    } else {
      waiting.splice(waiting.indexOf(old), 1);
      const decided = { status: 'approved', action: 'approve', reason: null, undo_until: null } as const;
      batch.push({
        type: 'item.decided',
        ...sequenced,
        actor: SOMEBODY,
        item_id: old.id,
        version: old.version + 1,
        ...decided,
      });
    }
    if (batch.length < BATCH && seq < count) continue;
    yield batch;
    batch = [];
  }
}

const median = (costs: number[]): number => costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;

describe('a tab that stays open', () => {
  it.each([
    ['only viewed', false],
    ['in use, or paused', true],
  ])(
    `retains a bounded part of ${EVENT_COUNT} events while it is %s, at the same cost for the last as for the first`,
    (_, inUse) => {
      let state: QueueState = emptyQueue(ME, { view: 'available', projectId: null });
      state = reduce(state, { kind: 'snapshot', snapshot: new EventLog().snapshot(), last: true });
      state = reduce(state, { kind: 'list_in_use', inUse });
      const costs: number[] = [];
      let last = START;
      let most = 0;
      for (const events of eventLogOf(EVENT_COUNT)) {
        looked = 0;
        state = reduce(state, { kind: 'events', events });
        state = reduce(state, { kind: 'tick', now: (last += SECOND) });
        entriesOf(state);
        costs.push(looked);
        const { rows, shown, heldBack, tombstones, versions } = state;
        most = Math.max(most, rows.size, shown.size, heldBack.size, tombstones.size, versions.size);
      }
      expect(most).toBeLessThanOrEqual(2500 + BATCH);
      const grown = costs.slice(50);
      expect(median(grown.slice(0, 100))).toBeGreaterThan(0);
      expect(median(grown.slice(-100))).toBeLessThan(4 * median(grown.slice(0, 100)));
      expect(state.complete).toBe(false);
      expect(countsOf(state).all).toBeGreaterThan(20_000);
      const ids = entriesOf(state).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    },
    60_000,
  );

  it('drops other rows first where the list shows escalated items', () => {
    const eventLog = new EventLog();
    // Escalated, and one that is not and due before it.
    const pair: Act[] = [6, 10].map((pick) => ({ what: 'arrive', pick, who: ANA }));
    for (let made = 0; made < 1300; made += 1) eventLog.play(pair);
    let state: QueueState = emptyQueue(ME, { view: 'escalated', projectId: null });
    state = reduce(state, { kind: 'snapshot', snapshot: new EventLog().snapshot(), last: true });
    state = reduce(state, { kind: 'events', events: eventLog.events });
    expect([entriesOf(state).length, state.rows.size <= 1500]).toEqual([1300, true]);
    expect([countsOf(state).all, state.horizon === null, state.escalatedHorizon]).toEqual([2600, false, null]);
  });
});
