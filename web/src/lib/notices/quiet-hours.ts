// Quiet hours: a span of the local day in which no notice is shown, which may contain midnight (NO7).

/** Two times of day as `HH:MM`. Equal times are no span. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

/** Hours and minutes as a time input writes them. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * Whether a moment (ms) lies in the quiet hours: from the first time on, and before the second one. The wall clock of the zone
 * counts, so that they begin and end at the same time of day on days when the clocks change. `zone` is that of the browser
 * unless given (an IANA name).
 */
export function isQuiet(hours: QuietHours | null, now: number, zone?: string): boolean {
  if (hours === null || hours.from === hours.to) return false;
  const time = timeOfDay(now, zone);
  const { from, to } = hours;
  return from < to ? from <= time && time < to : from <= time || time < to;
}

/** `HH:MM`. Times of this form are in the order of the day. */
function timeOfDay(now: number, zone?: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...(zone !== undefined && { timeZone: zone }),
  });
  return format.format(now);
}
