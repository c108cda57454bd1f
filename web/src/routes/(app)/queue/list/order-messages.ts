// Texts of the order of the list: its sorts, its groups, and what the next item is.
import { count } from '#lib/format/format.ts';
import { plural } from '#lib/format/format.ts';
import type { QueueGroup } from '#lib/live/queue/queue-model.ts';
import type { QueueSort } from '@countersign/shared/filters/queue-order';

export const orderMessages = {
  button: 'Sort and group',
  sort: 'Sort by',
  sorts: {
    due: 'Due first',
    newest: 'Newest first',
    confidence: 'Lowest confidence first',
    flag: 'Flagged first',
  } satisfies Record<QueueSort, string>,
  group: 'Group by',
  noGroup: 'None',
  groups: { flag: 'Risk flag', project: 'Project', model: 'Model or source' } satisfies Record<QueueGroup, string>,
  /** The order as one text: what is not the default. */
  order: (sort: QueueSort, group: QueueGroup | undefined): string => {
    const { sorts, groups } = orderMessages;
    const grouped = group === undefined ? [] : [`grouped by ${groups[group].toLowerCase()}`];
    return [sorts[sort], ...grouped].join(', ');
  },
  back: 'Back to due order, without groups',
  next: {
    escalated: 'Next takes escalated items first, then the oldest due.',
    due: 'Next takes the oldest due item.',
    filtered: 'Next takes the next free item of this filtered list.',
  },
  /** The same where items are for the user first (SK4). */
  nextOwn: {
    escalated: 'Next takes escalated items first, then items for you first, then the oldest due.',
    due: 'Next takes items for you first, then the oldest due.',
  },
  skips: 'It skips items that are for others first.',
  why: {
    escalated: 'Escalated items come first',
    own: 'For you first',
    due: 'Oldest due',
    filtered: 'Next in this list',
  },
  hidden: 'Items whose confidence is hidden come last.',
  /** The title of items that have no such value. */
  none: { flag: 'No flag', project: 'Other project', model: 'No model or source' } satisfies Record<QueueGroup, string>,
  counted: (number: number, all: boolean): string =>
    all ? plural(number, 'item', 'items') : `${count(number)} loaded`,
  countHint: {
    flag: 'Items of this list that are loaded, by their first flag',
    project: 'Items of this list that are loaded, by project',
    model: 'Items of this list that are loaded, by model, or by source where none is named',
  } satisfies Record<QueueGroup, string>,
} as const;
