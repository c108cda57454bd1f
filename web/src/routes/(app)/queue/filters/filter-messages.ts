// Texts of the queue's filter bar and of the list itself. What opens from them has texts of its own.
import { count, queueCount } from '#lib/format/format.ts';

export const filterMessages = {
  placeholder: 'Search items',
  search: 'Search items by their preview text',
  more: 'More filters',
  shown: (rows: number, all: number) => `${count(rows)} of ${queueCount(all)}`,
  lookedThrough: 'Only the first part of the queue was searched. There may be more matches further down.',

  select: {
    start: 'Select',
    stop: 'Stop selecting',
    hint: 'Select items to decide together',
    row: (preview: string) => `Select ${preview}`,
    notFree: 'You can only select unclaimed items',
    otherProject: 'You can only select items from one project',
  },
  list: {
    showMore: 'Show more',
    moreWait: (number: number) => `${queueCount(number)} more below`,
    moreThan: 'Many more below. Search to find one.',
  },
} as const;
