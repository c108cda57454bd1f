// Which item is the next one on request, as text (QU27). `claimAny` is the request.
import { isFiltered, type QueueState } from '#lib/live/queue/queue-model.ts';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { clock } from '#lib/time/clock.svelte.ts';
import { reservedFor } from './reserved.ts';
import { entriesFor } from './reserved-entries.ts';
import { orderMessages as text } from './order-messages.ts';

/** The rule of the present list. Its order does not matter; in a filtered one, which the server does not know, the next row comes. */
export function nextRule(state: QueueState): string {
  const { supervised, scope, me } = state;
  const { own, others } = entriesFor(scope.projectId, me);
  const skips = others ? ` ${text.skips}` : '';
  if (isFiltered(state)) return text.next.filtered + skips;
  const decides = scope.projectId === null ? supervised.size > 0 : supervised.has(scope.projectId);
  return text[own ? 'nextOwn' : 'next'][decides ? 'escalated' : 'due'] + skips;
}

/** Why this item was the next one. */
export function whyNext(state: QueueState, row: Pick<ItemRow, 'status' | 'project_id' | 'reserved'>): string {
  if (isFiltered(state)) return text.why.filtered;
  if (row.status === 'escalated') return text.why.escalated;
  return text.why[reservedFor(row, state.me, clock.read())?.mine ? 'own' : 'due'];
}
