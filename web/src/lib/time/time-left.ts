// How long an item can still be decided (DL1), and from when on that is a warning.
import type { Deadline } from '@countersign/shared/schemas/parts/item';

/** A fifth of the span, in ms per second of it. */
const WARNING_MS = 200;

/** `left` in ms, negative once the deadline has passed; `warns` when a fifth of the span or less is left. */
export function timeLeft({ at, span_seconds: span }: Deadline, now: number): { left: number; warns: boolean } {
  const left = Date.parse(at) - now;
  return { left, warns: left <= span * WARNING_MS };
}
