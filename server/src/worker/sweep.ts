// Clears away what has had its time: idempotency keys after seven days, sessions that are over, sign-in challenges nobody used.
import { AuthChallenge } from '../db/entities/auth-challenge.ts';
import { IdempotencyKey } from '../db/entities/idempotency-key.ts';
import { Session } from '../db/entities/session.ts';
import type { Services } from '../usecases/services.ts';

/** How long an idempotency key is kept (CONTRACT section 1), in milliseconds. */
export const KEY_KEPT_MS = 7 * 24 * 60 * 60_000;
/** How often the sweep runs, in milliseconds. */
export const SWEEP_MS = 10 * 60_000;

/** One sweep. Several workers may run it at once: a row is deleted once. */
export async function sweepOnce(services: Services): Promise<void> {
  const now = services.clock.now();
  const oldest = new Date(now.getTime() - KEY_KEPT_MS);
  await services.db.write(async ({ em }) => {
    // What a source sent stays known for good: its plain signature has no time in it, so an old message could come again.
    await em.nativeDelete(IdempotencyKey, { operation: { $in: ['submit', 'batch'] }, createdAt: { $lt: oldest } });
    await em.nativeDelete(Session, { expiresAt: { $lt: now } });
    await em.nativeDelete(AuthChallenge, { expiresAt: { $lt: now } });
  });
}
