// Checks that a session is active, inside the transaction of every change made for it (A3, A21).
import { Refusal } from '@countersign/shared/errors';
import type { Em } from './orm.ts';
import { rawQuery } from './raw-query.ts';

/** A session ends after this long without a request, in milliseconds. */
export const IDLE_MS = 60 * 60_000;

export const noSession = () => new Refusal('session_missing', 'Sign in with your wallet.');

/** The condition as SQL, with these parameter numbers: the session ID, the current time, and `idleSince`. */
export const LIVE_SESSION = (id: string, now: string, since: string) =>
  `id = any(${id}::uuid[]) and expires_at > ${now}::timestamptz and last_seen_at >= ${since}::timestamptz`;

/** A session last seen before this has been idle too long. */
export const idleSince = (now: Date) => new Date(now.getTime() - IDLE_MS);

/** `for key share`: ending the session waits for the transaction, updating its last-seen time does not. */
const LOCK = `select id from session where ${LIVE_SESSION('$1', '$2', '$3')} for key share`;

/** The session stays active until the transaction ends. Errors: `session_missing`. */
export async function lockSession(em: Em, id: string, now: Date): Promise<void> {
  const rows = await rawQuery(em, LOCK, [`{${id}}`, now.toISOString(), idleSince(now).toISOString()]);
  if (rows.length === 0) throw noSession();
}
