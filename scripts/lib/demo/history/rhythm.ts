// When the items of the demo's history arrive: by weekday and by hour, in the three weeks before its end.

/** Items that arrive together, and whether people look at the queue afterwards. */
export interface Round {
  readonly at: Date;
  /** Whole days before the end of the history. */
  readonly daysAgo: number;
  /** How many items arrive, as a share of all. */
  readonly share: number;
}

export const HISTORY_DAYS = 21;
const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = DAY_MS / 24;

/** Sunday first. */
const WEEKDAYS = [0.25, 1.3, 1.15, 1, 1, 0.9, 0.35];
/** Hours of the day, UTC, with the weight of what arrives. */
const HOURS: readonly (readonly [hour: number, weight: number])[] = [
  ...([
    [1.5, 0.5],
    [7.25, 1.2],
    [9, 1.9],
    [10.75, 1.7],
  ] as const),
  ...([
    [12.75, 1.3],
    [14.5, 1.6],
    [16.5, 1.3],
    [19, 0.9],
  ] as const),
];
/** On Saturdays and Sundays fewer programs run. */
const WEEKEND_HOURS = [7.25, 10.75, 16.5];
/** The last items arrive this long before the end, so that some still wait. */
const LAST_MS = 9 * 60_000;

/** The rounds of that many days before `end`, oldest first; their shares add up to 1. */
export function roundsBefore({ end, days }: { end: Date; days: number }, random: () => number): Round[] {
  const today = Math.floor(end.getTime() / DAY_MS);
  const rounds: Round[] = [];
  for (let day = today - days; day <= today; day += 1) {
    const weekday = new Date(day * DAY_MS).getUTCDay();
    const isWeekend = weekday === 0 || weekday === 6;
    for (const [hour, weight] of HOURS) {
      if (isWeekend && !WEEKEND_HOURS.includes(hour)) continue;
      const at = day * DAY_MS + hour * HOUR_MS + Math.floor(random() * 20 * 60_000);
      const share = weight * (WEEKDAYS[weekday] ?? 1) * (0.75 + random() / 2);
      rounds.push({ at: new Date(at), daysAgo: today - day, share });
    }
  }
  const last = { at: new Date(end.getTime() - LAST_MS), daysAgo: 0, share: 0.6 };
  // A round takes up to half an hour.
  const before = rounds.filter(({ at }) => at.getTime() < last.at.getTime() - HOUR_MS / 2);
  const all = [...before, last];
  const sum = all.reduce((total, { share }) => total + share, 0);
  return all.map((round) => ({ ...round, share: round.share / sum }));
}
