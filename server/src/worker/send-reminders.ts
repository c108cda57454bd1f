// Sends the written reminders: leased, behind the guard of webhooks, and repeated on their schedule (NO5).
import type { NotificationKind } from '@countersign/shared/enums';
import { rawQuery } from '../db/raw-query.ts';
import { nextStep, type AttemptError, type NextStep, type Outcome } from '../domain/webhooks/retry.ts';
import type { StoredSecrets } from '../domain/webhooks/signing.ts';
import type { Services } from '../usecases/services.ts';
import { LEASE_SECONDS, SECRETS } from '../delivery/lease.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const SEND_REMINDERS_MS = 2000;
/** Reminders of one lease, which are sent at the same time. */
const BATCH = 8;

interface Leased extends StoredSecrets<string> {
  id: string;
  project_id: string;
  kind: NotificationKind;
  url: string;
  body: string;
  attempt: number;
  claim_token: string;
  error: AttemptError | null;
}

/** A project that was deleted or archived meanwhile sends nothing more (AR2). */
const LEASE = `
  with due as (
    select m.id from notification_message m join project p on p.id = m.project_id
    where m.status in ('pending', 'sending') and m.next_attempt_at <= now() and (m.status = 'pending' or m.lease_until < now())
      and p.deleted_at is null and p.archived_at is null
    order by m.next_attempt_at limit ${BATCH} for update of m skip locked
  )
  update notification_message m set status = 'sending', claim_token = gen_random_uuid(), attempt = m.attempt + 1,
    lease_until = now() + interval '${LEASE_SECONDS} s'
  from due, webhook_endpoint e where m.id = due.id and e.project_id = m.project_id
  returning m.id, m.project_id, m.kind, m.url, m.body, m.attempt, m.claim_token, m.error, ${SECRETS}`;

const RECORD = `
  update notification_message set status = $3, next_attempt_at = $4, http_status = $5, error = $6,
    claim_token = null, lease_until = null, completed_at = case when $3 in ('succeeded', 'dead') then now() end,
    attempt = attempt - $7::int
  where id = $1 and claim_token = $2`;

const STATUS_AFTER = {
  succeeded: 'succeeded',
  retry: 'pending',
  dead: 'dead',
  pause: 'dead',
} as const satisfies Record<NextStep['kind'], string>;

/** One batch. Several workers may run it concurrently: each leases others, and a crash ends with the lease. */
export async function sendRemindersOnce(services: Services): Promise<Next> {
  const leased = await services.db.statement((em) => rawQuery<Leased>(em, LEASE, []));
  await Promise.all(leased.map((message) => send(services, message)));
  return { again: leased.length === BATCH };
}

async function send(services: Services, message: Leased): Promise<void> {
  const { id, project_id: projectId, url, body, attempt, claim_token, error: previousError, ...secrets } = message;
  const outcome = await services.dispatchWebhook({
    ...{ projectId, url, body, attempt, secrets, webhookId: `evt_${id}`, at: services.clock.now() },
    // A signature says nothing to Slack or Teams.
    unsigned: message.kind !== 'webhook',
  });
  const now = services.clock.now();
  const next = nextStep({ ...outcome, attempt, previousError, now, jitter: Math.random() });
  await record(services, { id, claim_token, outcome, next });
}

async function record(
  { db }: Services,
  { id, claim_token, outcome, next }: Pick<Leased, 'id' | 'claim_token'> & { outcome: Outcome; next: NextStep },
): Promise<void> {
  const at = next.kind === 'retry' ? next.at.toISOString() : null;
  const uncounted = next.kind === 'retry' && next.uncounted === true ? 1 : 0;
  const values = [id, claim_token, STATUS_AFTER[next.kind], at, outcome.httpStatus, outcome.error, uncounted];
  await db.statement((em) => rawQuery(em, RECORD, values));
}
