// Texts of a person's own figures.
import { count } from '#lib/format/format.ts';

export const ownFiguresMessages = {
  today: (decided: number) => `You today: ${count(decided)} decided`,
  lastHour: (decided: number) => `${count(decided)} in the last hour`,
  heading: 'You today',
  rows: { decided: 'Decided', lastHour: 'Last hour', overturned: 'Overturned, 30 d' },
  details: (today: readonly string[], { decided, overturned }: { decided: number; overturned: number }) =>
    [
      today.length === 0 ? 'Nothing decided today.' : `Today: ${today.join(', ')}.`,
      `Last 30 days: ${count(overturned)} of ${count(decided)} decisions overturned.`,
    ].join(' '),
} as const;
