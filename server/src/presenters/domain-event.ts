// A ledger row as the fact it states: what sockets and histories carry.
import type { DomainEvent } from '@countersign/shared/events';
import type { Event } from '../db/entities/event.ts';
import { decidedStatus } from '../domain/items/item.ts';
import { eventTypeOf } from '../domain/stored-names.ts';
import { rowFor } from '../domain/items/item-row.ts';

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
export function presentDomainEvent(event: Event, { audited: known = false, hidden = false }: Reader = {}): DomainEvent {
  const domainEvent = toDomainEvent(event, known);
  if (!hidden) return domainEvent;
  if (domainEvent.type === 'item.decided')
    return { ...domainEvent, status: decidedStatus(domainEvent.action) ?? domainEvent.status };
  return 'item' in domainEvent ? { ...domainEvent, item: rowFor(true, domainEvent.item) } : domainEvent;
}

/** Whether a fact says more to who may see analytics than to others of its project, where that has audits. */
export const revealsAudit = ({ type, data }: Event): boolean =>
  type === 'item.decided' || 'item' in data || 'audited' in data;

function toDomainEvent(event: Event, known: boolean): DomainEvent {
  const envelope = {
    type: eventTypeOf(event.type),
    seq: event.seq ?? 0,
    project_id: event.projectId,
    server_time: event.createdAt.toISOString(),
    actor: event.actor,
  };
  const { audited, ...data } = event.data;
  if (audited === undefined || known) return { ...data, ...envelope } as DomainEvent;
  const { item_id, version } = data;
  // In the order in which the database keeps the members of any other.
  return { item: audited, reason: null, item_id, version, ...envelope, type: 'item.queued' } as DomainEvent;
}
