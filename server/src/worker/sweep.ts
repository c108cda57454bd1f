// Deletes expired rows, such as sessions, keys and invites, and completes upgrades from older versions.
import { AuthChallenge } from '../db/entities/auth-challenge.ts';
import { Session } from '../db/entities/session.ts';
import { noteMissingReasons } from '../db/learnings/assign-cluster.ts';
import { databaseTime } from '../db/database-time.ts';
import { purgeLogs } from '../db/retention/purge-project.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';
import type { Database } from '../db/database.ts';
import type { Em } from '../db/orm.ts';

/** Retention of idempotency keys (docs/spec/public-api.md#idempotency), in milliseconds. */
export const KEY_RETENTION_MS = 7 * 24 * 60 * 60_000;
/** Retention of used, revoked or expired invites, in milliseconds. */
export const INVITE_RETENTION_MS = 30 * 24 * 60 * 60_000;
/** Retention of webhook alerts (WH6) and reminders (NO5), in milliseconds. */
export const ALERT_RETENTION_MS = 90 * 24 * 60 * 60_000;
/** Retention of the change log of a deleted project (KE7), in milliseconds. */
const LOG_RETENTION_MS = 365 * 24 * 60 * 60_000;
/** The interval of the sweep, in milliseconds. */
export const SWEEP_MS = 10 * 60_000;

const BATCH = 5000;

/**
 * One sweep of at most 5000 rows per kind, so that it blocks nobody. Several workers may run it concurrently: a row is
 * deleted once. Also shows confidence again where audits are over (AU3), records reasons that an older version left
 * without a cluster, and removes names that owners set for others.
 */
export async function sweepOnce(services: Services): Promise<Next> {
  const swept = await services.db.write(async ({ em }) => {
    const now = await databaseTime(em);
    const oldest = new Date(now.getTime() - KEY_RETENTION_MS);
    const ended = new Date(now.getTime() - INVITE_RETENTION_MS);
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
    const messages = await sweepMessages(em, new Date(now.getTime() - ALERT_RETENTION_MS));
    const lines = await purgeLogs(em, new Date(now.getTime() - LOG_RETENTION_MS), BATCH);
    const people = await forgetGivenNames(em, BATCH);
    return [rows.length, invites.length, ...messages, lines, people];
  });
  await unhideConfidence(services.db);
  const forgotten = await noteMissingReasons(services);
  return { again: forgotten || swept.includes(BATCH) };
}

/** Deletes alerts and reminders, sent or not, from before a time, and who had seen such alerts. Returns how many rows of each. */
async function sweepMessages(em: Em, before: Date): Promise<number[]> {
  const alerts = await em.execute<unknown[]>(
    `delete from webhook_alert where ctid in (select ctid from webhook_alert where created_at < ? limit ${BATCH}) returning 1`,
    [before],
  );
  const seen = await em.execute<unknown[]>(
    `delete from alert_seen where ctid in (
       select s.ctid from alert_seen s where s.until < ? and not exists (
         select from webhook_alert a where a.project_id = s.project_id and a.created_at <= s.until) limit ${BATCH}
     ) returning 1`,
    [before],
  );
  const reminders = await em.execute<unknown[]>(
    `delete from notification_message where ctid in (
       select ctid from notification_message where created_at < ?
         and (status = 'sending' and lease_until >= now()) is not true limit ${BATCH}
     ) returning 1`,
    [before],
  );
  return [alerts.length, seen.length, reminders.length];
}

/**
 * SQL for a project with the alias `p`: an item that arrived before its audits ended is undecided or can be undone,
 * sampled or not.
 */
const UNDECIDED = `(exists (select from item i where i.project_id = p.id and i.status in ('queued', 'escalated')
    and i.settings_version < p.audits_off_version)
  or exists (select from decision d join item i on i.id = d.item_id where d.final_at is null and d.project_id = p.id
    and i.settings_version < p.audits_off_version))`;

/**
 * Checks the projects that ended their audits. A concurrent submission holds its project and may have read the older
 * settings, so the project is locked and checked again; only if nothing else is left, because intake waits for that
 * lock.
 */
async function unhideConfidence(db: Database): Promise<void> {
  const ended = await db.read((em) =>
    em.execute<{ id: string }[]>(
      `select p.id from project p where p.audits_off_version is not null and p.deleted_at is null and not ${UNDECIDED}`,
    ),
  );
  for (const { id } of ended)
    await db.write(async ({ em }) => {
      await em.execute('select from project where id = ? for update', [id]);
      await em.execute(`update project p set audits_off_version = null where p.id = ? and not ${UNDECIDED}`, [id]);
    });
}

/**
 * A name is the person's own if they set it according to the change log. One that someone else set, or that came with
 * being added, is removed; a name that the log does not mention (the demo host) stays.
 */
const FORGET = `
  with batch as (
    select id from app_user where not name_settled order by id limit ? for no key update skip locked
  ), spoken as (
    select c.subject_id as id, coalesce(c.after ->> 'name', c.subject) as name, c.changed_by <> c.subject_id as by_others,
      c.action = 'member.changed' and c.changed_by = c.subject_id as chosen
    from project_change c join batch on batch.id = c.subject_id
    where c.changed_by is not null
      and ((c.action = 'member.changed' and c.after ->> 'name' is not null) or c.action = 'member.joined')
  ), given as (
    select u.id from app_user u join spoken s on s.id = u.id and s.name = u.name
    group by u.id having bool_or(s.by_others) and not bool_or(s.chosen)
  )
  update app_user u set name_settled = true, name = case when given.id is null then u.name end
  from batch left join given on given.id = batch.id
  where u.id = batch.id
  returning u.id`;

/** Checks a batch of the users that were not checked yet. Returns how many there were. */
async function forgetGivenNames(em: Em, batchSize: number): Promise<number> {
  return (await em.execute<unknown[]>(FORGET, [batchSize])).length;
}
