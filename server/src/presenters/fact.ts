// A ledger row as the fact it states: what sockets and histories carry.
import type { Fact } from '@countersign/shared/events';
import type { Event } from '../db/entities/event.ts';
import { decidedStatus } from '../domain/item.ts';
import { rowFor } from '../domain/item-row.ts';

interface Reader {
  /** They may know that the item was approved before it came to people. */
  audited?: boolean;
  /** They are kept from what tells audits apart (AU3). */
  hidden?: boolean;
}

/**
 * The row must be stamped. Its data was type-checked when it was recorded, so the union is only put back together here.
 * What arrived approved and waits for an audit is told as any arrival that waits (AU3).
 */
export function presentFact(event: Event, { audited: known = false, hidden = false }: Reader = {}): Fact {
  const fact = factOf(event, known);
  if (!hidden) return fact;
  if (fact.type === 'item.decided') return { ...fact, status: decidedStatus(fact.action) ?? fact.status };
  return 'item' in fact ? { ...fact, item: rowFor(true, fact.item) } : fact;
}

/** Whether a fact says more to who may see analytics than to others of its project, where that has audits. */
export const tellsApart = ({ type, data }: Event): boolean =>
  type === 'item.decided' || 'item' in data || 'audited' in data;

function factOf(event: Event, known: boolean): Fact {
  const stamp = {
    type: event.type,
    seq: event.seq ?? 0,
    project_id: event.projectId,
    server_time: event.createdAt.toISOString(),
    actor: event.actor,
  };
  const { audited, ...data } = event.data;
  if (audited === undefined || known) return { ...data, ...stamp } as Fact;
  const { item_id, version } = data;
  // In the order in which the database keeps the members of any other.
  return { item: audited, reason: null, item_id, version, ...stamp, type: 'item.queued' } as Fact;
}
