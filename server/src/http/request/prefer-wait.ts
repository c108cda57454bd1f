// Reads how long a request prefers to wait, from its `Prefer` header.
import { LIMITS } from '@countersign/shared/limits';

const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d+)"?\s*(?:;[^,]*)?(?=,|$)/i;

/**
 * The seconds of `Prefer: wait=N`, at most 60, or null. An unreadable preference is not an error (RFC 7240, section 2);
 * the `Preference-Applied` response header says what was applied.
 */
export function preferredWait(prefer: string | undefined): number | null {
  const seconds = WAIT.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), LIMITS.waitSeconds);
}
