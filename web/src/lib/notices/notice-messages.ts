// Texts of the browser notices: counts, minutes and names of projects alone (NO7).
import { plural } from '../format/format.ts';
import type { Notice } from './notice-rules.ts';

export const noticeMessages = {
  title: (notice: Notice): string => {
    if (notice.kind === 'arrivals') return `${plural(notice.count, 'item', 'items')} arrived while you were away`;
    const { count, minutes } = notice;
    return count === 1
      ? `An item is due in ${plural(minutes, 'minute', 'minutes')}`
      : `${count} items are due in the next ${plural(minutes, 'minute', 'minutes')}`;
  },
  body: ({ projects }: Notice): string =>
    projects.length === 1 ? (projects[0] ?? '') : `In ${projects.length} projects`,
} as const;
