// A ledger row as the fact it states: what sockets and histories carry.
import type { Fact } from '@countersign/shared/events';
import type { Event } from '../db/entities/event.ts';

/** The row must be stamped. Its data was type-checked when it was recorded, so the union is only put back together here. */
export function presentFact(event: Event): Fact {
  const stamp = {
    type: event.type,
    seq: event.seq ?? 0,
    project_id: event.projectId,
    server_time: event.createdAt.toISOString(),
    actor: event.actor,
  };
  return { ...event.data, ...stamp } as Fact;
}
