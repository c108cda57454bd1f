// Rule AU6: from when on audits count for a bound that holds however often one looks at it.

/** 30 days, in milliseconds. Audits count for at most twice as long. */
export const WINDOW_MS = 30 * 24 * 60 * 60_000;

/** Steps are not shorter than this: a second. */
const SHORTEST_MS = 1000;

/**
 * The start stands still while one looks, because a bound that is looked at again has to be about the same audits and more. A window
 * that slid along would begin a new series every day, each with a chance to miss of its own. So it is the beginning of the step before
 * this one, and moves once in 30 days: what counts is 30 to 60 days old. Where not everything is there since then, because items have
 * gone or there are more audits than are read, steps are halved until it is. The calendar alone decides, no verdict does.
 *
 * @param earliest from this moment on every audit can be read; null: from the first one on
 */
export function auditStart(now: Date, earliest: Date | null): Date {
  for (let step = WINDOW_MS; step >= SHORTEST_MS; step /= 2) {
    const start = (Math.floor(now.getTime() / step) - 1) * step;
    if (earliest === null || start > earliest.getTime()) return new Date(start);
  }
  return earliest ?? now;
}
