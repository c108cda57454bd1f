// The items that a notice may count: the rows of a live queue, and arrivals beyond the part of it that is loaded (NO7).
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { isFree, type QueueState } from '../live/queue/queue-model.ts';
import type { WaitingItem } from './notice-rules.ts';

/** How many arrivals are remembered, so that a tab does not grow with the queue. */
const MAX_ARRIVALS = 2000;

export class Arrivals {
  /** When an item last came to those who may decide it, in ms. */
  readonly #times = new Map<string, number>();
  /** Items as they arrived. One that has changed since is left to the queue. */
  readonly #rows = new Map<string, ItemRow>();

  receive(event: DomainEvent): void {
    if (event.type === 'item.queued' || event.type === 'item.escalated') {
      put(this.#times, event.item_id, Date.parse(event.server_time));
      put(this.#rows, event.item_id, event.item);
    } else if ('item_id' in event && event.type !== 'delivery.changed') this.#rows.delete(event.item_id);
  }

  /** Events may be missing: only the rows of the queue count from here on. */
  forgetRows(): void {
    this.#rows.clear();
  }

  /** What the user holds or could claim now. `nameOf` names a project. */
  waiting(state: QueueState, nameOf: (project: string) => string): WaitingItem[] {
    const beyond = [...this.#rows].filter(([id]) => !state.rows.has(id) && !state.versions.has(id));
    return [...state.rows.values(), ...beyond.map(([, row]) => row)].flatMap((row) => {
      const mine = row.claim?.user_id === state.me;
      if (state.saving.has(row.id) || (!mine && !isFree(state, row))) return [];
      return {
        ...{ id: row.id, project: nameOf(row.project_id), mine },
        deadline: row.deadline === null ? null : Date.parse(row.deadline.at),
        arrivedAt: this.#times.get(row.id) ?? Date.parse(row.created_at),
      };
    });
  }
}

function put<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ARRIVALS && oldest !== undefined) map.delete(oldest);
}
