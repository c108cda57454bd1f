// Reads how long a request is willing to wait (RFC 7240), and detects that its client disconnected.
import type { Context } from 'koa';
import { LIMITS } from '@countersign/shared/api/public';

const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d+)"?\s*(?:;[^,]*)?(?=,|$)/i;

/**
 * The seconds of `Prefer: wait=N`, at most 60, or null. An unreadable preference is not an error (RFC 7240, section 2);
 * the `Preference-Applied` response header says what was applied.
 */
export function preferredWait(prefer: string | undefined): number | null {
  const seconds = WAIT.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), LIMITS.waitSeconds);
}

/** Aborts when the client disconnects before the response. */
export function disconnectSignal(ctx: Context): AbortSignal {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  // A client that disconnected earlier, while the item was stored or read, emits no further event.
  if (ctx.res.closed) gone.abort();
  return gone.signal;
}
