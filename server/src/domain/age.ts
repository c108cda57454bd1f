// How long ago something was, by a clock that may have been set back since.

/** Milliseconds since `then` (ms since the epoch); Infinity when it is not known, or in the future because the clock was set back. */
export function ageOf(now: Date, then: number | undefined): number {
  const age = then === undefined ? Infinity : now.getTime() - then;
  return age < 0 ? Infinity : age;
}
