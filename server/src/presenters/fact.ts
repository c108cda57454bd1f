// A ledger row as the fact it states: what sockets and histories carry.
import type { Fact } from '@countersign/shared/events';
import type { Event } from '../db/entities/event.ts';

/**
 * The row must be stamped. Its data was type-checked when it was recorded, so the union is only put back together here.
 * What arrived approved and waits for an audit is told as any arrival that waits (AU3); `audited`: the reader may know that it was approved.
 */
export function presentFact(event: Event, { audited: known } = { audited: false }): Fact {
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
  return { ...stamp, type: 'item.queued', item_id, version, item: audited, reason: null } as Fact;
}
