// How a request says that it would rather wait (RFC 7240), and how its client says that it no longer does.
import type { Context } from 'koa';
import { LIMITS } from '@countersign/shared/api/public';

const WAIT = /(?:^|,)\s*wait\s*=\s*"?(\d+)"?\s*(?:;[^,]*)?(?=,|$)/i;

/**
 * The seconds of `Prefer: wait=N`, at most 60, or null. A preference that cannot be read is no error (RFC 7240, section 2);
 * the answer's `Preference-Applied` says what was done.
 */
export function preferredWait(prefer: string | undefined): number | null {
  const seconds = WAIT.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), LIMITS.waitSeconds);
}

/** Fires when the client has gone before it was answered. */
export function disconnectSignal(ctx: Context): AbortSignal {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  // Who left while the item was being stored or read is not heard of again.
  if (ctx.res.closed) gone.abort();
  return gone.signal;
}
