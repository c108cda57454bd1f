// Which item is the next one on request, as text (QU27). `claimAny` is the request.
import { isFiltered, type QueueState } from '#lib/live/queue/queue-model.ts';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { orderMessages as text } from './order-messages.ts';

/** The rule of the present list. Its order does not matter; in a filtered one, which the server does not know, the next row comes. */
export function nextRule(state: QueueState): string {
  const { supervised, scope } = state;
  if (isFiltered(state)) return text.next.filtered;
  const decides = scope.projectId === null ? supervised.size > 0 : supervised.has(scope.projectId);
  return decides ? text.next.escalated : text.next.due;
}

/** Why this item was the next one. */
export const whyNext = (state: QueueState, { status }: Pick<ItemRow, 'status'>): string =>
  text.why[isFiltered(state) ? 'filtered' : status === 'escalated' ? 'escalated' : 'due'];
