// Presents an event log row as a domain event, for sockets and histories.
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { Event } from '../db/entities/event.ts';
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import { decidedStatus } from '../domain/items/item.ts';
import { eventTypeOf } from '../domain/stored-names.ts';
import { rowFor } from '../domain/items/item-row.ts';

interface Reader {
  /** The viewer may know that the item was approved before it was reviewed. */
  audited?: boolean;
  /** What distinguishes audits is hidden from the viewer (AU3). */
  hidden?: boolean;
}

/**
 * The row must have its sequence number. Its data was type-checked when it was appended, so this only restores the
 * union. An arrival that was approved and waits for an audit is presented like any waiting arrival (AU3).
 */
export function presentDomainEvent(event: Event, { audited: known = false, hidden = false }: Reader = {}): DomainEvent {
  const domainEvent = toDomainEvent(event, known);
  if (!hidden) return domainEvent;
  if (domainEvent.type === 'item.decided')
    return { ...domainEvent, status: decidedStatus(domainEvent.action) ?? domainEvent.status };
  return 'item' in domainEvent ? { ...domainEvent, item: rowFor(true, domainEvent.item) } : domainEvent;
}

/** Whether an event says more to members who may see analytics than to others, in a project with audits. */
export const revealsAudit = ({ type, data }: Event): boolean =>
  type === 'item.decided' || 'item' in data || 'audited' in data;

/** A row of an event that was appended before an upgrade lacks what rows have had since. */
function withWholeRows({ item, audited, ...data }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(item !== undefined && { item: { ...PLAIN_ITEM, ...(item as object) } }),
    ...data,
    ...(audited !== undefined && { audited: { ...PLAIN_ITEM, ...(audited as object) } }),
  };
}

function toDomainEvent(event: Event, known: boolean): DomainEvent {
  const envelope = {
    type: eventTypeOf(event.type),
    seq: event.seq ?? 0,
    project_id: event.projectId,
    server_time: event.createdAt.toISOString(),
    actor: event.actor,
  };
  const { audited, ...data } = withWholeRows(event.data);
  if (audited === undefined || known) return { ...data, ...envelope } as DomainEvent;
  const { item_id, version } = data;
  // In the order in which the database stores the members of any other event.
  return { item: audited, reason: null, item_id, version, ...envelope, type: 'item.queued' } as DomainEvent;
}
