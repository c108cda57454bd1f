// The delivery's SQL: lease what is due, and write what came of an attempt. Both short, both fenced, never across HTTP.
import type { Tx } from '../db/database.ts';
import type { Em } from '../db/orm.ts';
import { Attempt } from '../db/entities/attempt.ts';
import type { AttemptError, NextStep } from '../domain/retry.ts';
import type { Outcome } from '../domain/webhook-attempt.ts';

/** A leased delivery with what sending it needs. */
export interface Leased {
  id: string;
  projectId: string;
  itemId: string;
  webhookId: string;
  body: string;
  /** The number of the attempt this lease is for, from 1. */
  attempt: number;
  /** The number of attempts before the last replay. */
  scheduleFrom: number;
  claimToken: string;
  /** What the attempt before this one ended in. */
  previousError: AttemptError | null;
  url: string;
}

/** Longer than three whole attempts: a lease is never renewed, so it must outlast the slowest POST by far. */
const LEASE_SECONDS = 60;

/**
 * Leases at most one due delivery per project, so that a project with a long backlog cannot fill the slots.
 * Skips projects in `busy`, paused endpoints, and items whose earlier delivery is still on its way.
 */
export async function leaseDue(
  { em }: Tx,
  { limit, busy }: { limit: number; busy: readonly string[] },
): Promise<Leased[]> {
  const rows = await em.execute<LeasedRow[]>(
    `update delivery d set status = 'sending', claim_token = gen_random_uuid(), attempt = d.attempt + 1,
       lease_until = now() + interval '${LEASE_SECONDS} s'
     from (
       select w.id, p.webhook_url as url from delivery w join project p on p.id = w.project_id
       where w.id in (
         select distinct on (x.project_id) x.id from delivery x
         join webhook_endpoint e on e.project_id = x.project_id
         join project q on q.id = x.project_id and q.webhook_url is not null
         where ((x.status = 'pending' and x.next_attempt_at <= now()) or (x.status = 'sending' and x.lease_until < now()))
           and e.state = 'active' and not x.project_id = any(?::uuid[])
           and not exists (select 1 from delivery y where y.item_id = x.item_id and y.seq < x.seq and y.status in ('pending', 'sending'))
         order by x.project_id, x.next_attempt_at
       ) and ((w.status = 'pending' and w.next_attempt_at <= now()) or (w.status = 'sending' and w.lease_until < now()))
         and p.webhook_url is not null
       order by w.next_attempt_at limit ? for update of w skip locked
     ) due
     where d.id = due.id
     returning d.id, d.project_id, d.item_id, d.webhook_id, d.body, d.attempt, d.schedule_from, d.claim_token, d.error, due.url`,
    [`{${busy.join(',')}}`, limit],
  );
  return rows.map(toLeased);
}

interface LeasedRow {
  id: string;
  project_id: string;
  item_id: string;
  webhook_id: string;
  body: string;
  attempt: number;
  schedule_from: number;
  claim_token: string;
  error: AttemptError | null;
  url: string;
}

const toLeased = (row: LeasedRow): Leased => ({
  id: row.id,
  projectId: row.project_id,
  itemId: row.item_id,
  webhookId: row.webhook_id,
  body: row.body,
  attempt: row.attempt,
  scheduleFrom: row.schedule_from,
  claimToken: row.claim_token,
  previousError: row.error,
  url: row.url,
});

/** Is the lease still the one that was given? Asked at the last moment before a POST. */
export async function stillLeased(em: Em, { id, claimToken }: Leased): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from delivery where id = ? and claim_token = ? and status = 'sending'`,
    [id, claimToken],
  );
  return rows.length > 0;
}

/** A delivery's status after the step. */
export const STATUS_AFTER = {
  succeeded: 'succeeded',
  retry: 'pending',
  dead: 'dead',
  pause: 'paused',
} as const satisfies Record<NextStep['kind'], string>;

/** Writes the attempt and what comes next. Returns false when the lease was lost: then only the attempt is kept, as `lease_lost`. */
export async function finish(
  tx: Tx,
  leased: Leased,
  done: { outcome: Outcome; next: NextStep; startedAt: Date },
): Promise<boolean> {
  const { outcome, next } = done;
  const status = STATUS_AFTER[next.kind];
  const rows = await tx.em.execute(
    `update delivery set status = ?, next_attempt_at = ?, claim_token = null, lease_until = null, http_status = ?, error = ?,
       completed_at = case when ? in ('succeeded', 'dead') then now() end
     where id = ? and claim_token = ? and status = 'sending' returning id`,
    [
      status,
      next.kind === 'retry' ? next.at : null,
      outcome.httpStatus,
      outcome.error,
      status,
      leased.id,
      leased.claimToken,
    ],
  );
  const kept = rows.length === 1;
  await writeAttempt(tx, leased, { ...done, error: kept ? outcome.error : 'lease_lost' });
  return kept;
}

async function writeAttempt(
  tx: Tx,
  leased: Leased,
  { outcome, startedAt, error }: { outcome: Outcome; startedAt: Date; error: string | null },
): Promise<void> {
  await tx.em.upsert(Attempt, {
    deliveryId: leased.id,
    n: leased.attempt,
    url: leased.url,
    startedAt,
    totalMs: outcome.totalMs,
    httpStatus: outcome.httpStatus,
    error,
    responseText: outcome.responseText,
    remoteAddress: outcome.remoteAddress,
  });
}

/** The endpoint said it is gone (WH3): everything of the project waits until its owner saves the URL again. */
export async function pauseEndpoint({ em }: Tx, projectId: string): Promise<void> {
  await em.execute(`update webhook_endpoint set state = 'paused' where project_id = ?`, [projectId]);
  await em.execute(`update delivery set status = 'paused' where project_id = ? and status = 'pending'`, [projectId]);
}
