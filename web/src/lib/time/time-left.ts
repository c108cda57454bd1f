// How long an item can still be decided (DL1): when that is a warning, and how it reads in the list and in the head.
import { countdown, duration } from '#lib/format/format.ts';
import type { Deadline } from '@countersign/shared/schemas/parts/item';

/** A fifth of the time to the deadline, in ms per second of it. */
const WARNING_MS = 200;
const HOUR_MS = 3_600_000;

/** `left` in ms, negative once the deadline has passed; `warns` when a fifth of the time to the deadline or less is left. */
export function timeLeft({ at, span_seconds: span }: Deadline, now: number): { left: number; warns: boolean } {
  const left = Date.parse(at) - now;
  return { left, warns: left <= span * WARNING_MS };
}

/** The time left as text: a countdown in seconds for a warning in the last hour, otherwise the two largest units. `now` in ms. */
export function timeLeftText(deadline: Deadline, now: number): string {
  const { left, warns } = timeLeft(deadline, now);
  return warns && left < HOUR_MS ? countdown(left) : duration(left);
}
