// Rule AU6: from when on audits count for a bound that is valid at every look.

/** 30 days, in milliseconds. Audits count for at most twice as long. */
export const WINDOW_MS = 30 * 24 * 60 * 60_000;

/** The shortest step: a second. */
const SHORTEST_MS = 1000;

/**
 * The start is constant between steps, because a bound that is checked repeatedly has to cover the same audits and more. A sliding
 * window would begin a new series every day, each with its own probability of a miss. The start is therefore the beginning of the
 * previous step, and moves once in 30 days: audits of the last 30 to 60 days count. Where audits since then are missing, because
 * items were deleted or there are more audits than are read, steps are halved until none is. Only the calendar decides, no verdict.
 *
 * @param earliest from this moment on every audit can be read; null: all of them
 */
export function auditStart(now: Date, earliest: Date | null): Date {
  for (let step = WINDOW_MS; step >= SHORTEST_MS; step /= 2) {
    const start = (Math.floor(now.getTime() / step) - 1) * step;
    if (earliest === null || start > earliest.getTime()) return new Date(start);
  }
  return earliest ?? now;
}
