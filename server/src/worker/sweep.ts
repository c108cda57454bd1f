// Deletes expired data: sessions, challenges, idempotency keys, invites, offers, webhook alerts, logs of deleted
// projects. Shows confidence again where audits are over (AU3). Also completes two upgrades: records reasons that an
// older version left without a cluster, and removes names that owners set for others.
import { AuthChallenge } from '../db/entities/auth-challenge.ts';
import { Session } from '../db/entities/session.ts';
import { unhideConfidence } from '../db/audits/unhide-confidence.ts';
import { forgetGivenNames } from '../db/retention/forget-given-names.ts';
import { noteMissingReasons } from '../db/learnings/assign-cluster.ts';
import { purgeLogs } from '../db/retention/purge-project.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Retention of idempotency keys (docs/spec/public-api.md#idempotency), in milliseconds. */
export const KEY_RETENTION_MS = 7 * 24 * 60 * 60_000;
/** Retention of used, revoked or expired invites, in milliseconds. */
export const INVITE_RETENTION_MS = 30 * 24 * 60 * 60_000;
/** Retention of webhook alerts (WH6), in milliseconds. */
export const ALERT_RETENTION_MS = 90 * 24 * 60 * 60_000;
/** Retention of the change log of a deleted project (KE7), in milliseconds. */
const LOG_RETENTION_MS = 365 * 24 * 60 * 60_000;
/** The interval of the sweep, in milliseconds. */
export const SWEEP_MS = 10 * 60_000;

const BATCH = 5000;

/**
 * One sweep of at most 5000 rows per kind, so that it blocks nobody. Several workers may run it concurrently: a row is
 * deleted once.
 */
export async function sweepOnce(services: Services): Promise<Next> {
  const now = services.clock.now();
  const oldest = new Date(now.getTime() - KEY_RETENTION_MS);
  const ended = new Date(now.getTime() - INVITE_RETENTION_MS);
  const swept = await services.db.write(async ({ em }) => {
    await em.nativeDelete(Session, { expiresAt: { $lt: now } });
    await em.nativeDelete(AuthChallenge, { expiresAt: { $lt: now } });
    // The keys of inbound sources are retained forever: the plain signature contains no time, so an old message could
    // be replayed.
    const rows = await em.execute<unknown[]>(
      `delete from idempotency_key where ctid in (
         select ctid from idempotency_key where operation in ('submit', 'batch') and created_at < ? limit ${BATCH}
       ) returning 1`,
      [oldest],
    );
    const invites = await em.execute<unknown[]>(
      `delete from invite where ctid in (
         select ctid from invite where coalesce(used_at, revoked_at, expires_at) < ? limit ${BATCH}
       ) returning 1`,
      [ended],
    );
    await em.execute(`delete from offer where ctid in (select ctid from offer where expires_at < ? limit ${BATCH})`, [
      now,
    ]);
    const alerts = await em.execute<unknown[]>(
      `delete from webhook_alert where ctid in (select ctid from webhook_alert where created_at < ? limit ${BATCH}) returning 1`,
      [new Date(now.getTime() - ALERT_RETENTION_MS)],
    );
    const lines = await purgeLogs(em, new Date(now.getTime() - LOG_RETENTION_MS), BATCH);
    const people = await forgetGivenNames(em, BATCH);
    return [rows.length, invites.length, alerts.length, lines, people];
  });
  await unhideConfidence(services.db);
  const forgotten = await noteMissingReasons(services);
  return { again: forgotten || swept.includes(BATCH) };
}
