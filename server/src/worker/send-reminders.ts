// Sends the written reminders: leased, behind the guard of webhooks, and repeated on their schedule (NO5).
import type { NotificationKind } from '@countersign/shared/enums';
import { rawQuery } from '../db/raw-query.ts';
import { webhookIdOf } from '../domain/items/decision.ts';
import { nextStep, type AttemptError, type NextStep, type Outcome } from '../domain/webhooks/retry.ts';
import { secretsOf, type SecretsRow } from '../domain/webhooks/signing.ts';
import type { Services } from '../usecases/services.ts';
import { LEASE_SECONDS, PROBE_SECONDS, SECRETS } from '../delivery/lease.ts';
import { noteTarget } from './reminder-circuit.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const SEND_REMINDERS_MS = 2000;
/** Reminders of one lease, which are sent at the same time. */
const BATCH = 8;

interface Leased extends SecretsRow<string> {
  id: string;
  project_id: string;
  kind: NotificationKind;
  url: string;
  target: string;
  body: string;
  attempt: number;
  schedule_from: number;
  claim_token: string;
  error: AttemptError | null;
  /** The single attempt that an open circuit lets through. */
  probe: boolean;
}

/** The message `x` is due. */
const due = (x: string) =>
  `${x}.status in ('pending', 'sending') and ${x}.next_attempt_at <= now() and (${x}.status = 'pending' or ${x}.lease_until < now())`;

/**
 * A project that was deleted or archived meanwhile sends nothing more (AR2). To a target whose circuit is open goes one
 * message, once its time is over: of any number of workers, one gets it (WH5).
 */
const LEASE = `
  with probes as (
    update notification_target set open_until = now() + interval '${PROBE_SECONDS} s' where (project_id, target) in (
      select t.project_id, t.target from notification_target t where t.open_until <= now() and exists (
        select 1 from notification_message f where f.project_id = t.project_id and f.target = t.target and ${due('f')})
      for update skip locked)
    returning project_id, target
  ), due as (
    select m.id, b.target is not null as probe from notification_message m join project p on p.id = m.project_id
    left join notification_target t on t.project_id = m.project_id and t.target = m.target
    left join probes b on b.project_id = m.project_id and b.target = m.target
    where ${due('m')} and p.deleted_at is null and p.archived_at is null
      and (t.open_until is null or (b.target is not null and m.id = (
        select f.id from notification_message f where f.project_id = m.project_id and f.target = m.target and ${due('f')}
        order by f.next_attempt_at, f.id limit 1)))
    order by m.next_attempt_at limit ${BATCH} for update of m skip locked
  )
  update notification_message m set status = 'sending', claim_token = gen_random_uuid(), attempt = m.attempt + 1,
    lease_until = now() + interval '${LEASE_SECONDS} s'
  from due, webhook_endpoint e where m.id = due.id and e.id = m.project_id
  returning m.id, m.project_id, m.kind, m.url, m.target, m.body, m.attempt, m.schedule_from, m.claim_token, m.error,
    due.probe, ${SECRETS}`;

const RECORD = `
  update notification_message set status = $3, next_attempt_at = now() + make_interval(secs => $4::float8 / 1000), http_status = $5, error = $6,
    claim_token = null, lease_until = null, completed_at = case when $3 in ('succeeded', 'dead') then now() end,
    schedule_from = schedule_from + $7::int
  where id = $1 and claim_token = $2 returning 1`;

/** Also where the lease was lost: the message may have arrived. Nothing where it was deleted meanwhile. */
const LOG = `
  insert into notification_attempt (message_id, n, started_at, total_ms, http_status, error)
  select id, $2::int, $3::timestamptz, $4::float8, $5::int, $6 from notification_message where id = $1
  on conflict (message_id, n) do nothing`;

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
  const { id, project_id: projectId, url, body, attempt, schedule_from: from, error: previousError } = message;
  const startedAt = services.clock.now();
  const outcome = await services.dispatchWebhook({
    // With the secrets of the endpoint of the settings.
    ...{
      projectId,
      endpointId: projectId,
      url,
      body,
      attempt,
      secrets: secretsOf(message),
      webhookId: webhookIdOf(id),
      at: startedAt,
    },
    // A signature says nothing to Slack or Teams.
    unsigned: message.kind !== 'webhook',
  });
  const now = services.clock.now();
  const next = nextStep({ ...outcome, attempt: attempt - from, previousError, now, jitter: Math.random() });
  await record(services, message, { outcome, next, startedAt });
}

async function record(
  { db }: Services,
  message: Leased,
  { outcome, next, startedAt }: { outcome: Outcome; next: NextStep; startedAt: Date },
): Promise<void> {
  const { httpStatus, error, totalMs } = outcome;
  const waitMs = next.kind === 'retry' ? next.waitMs : null;
  // It has a number of its own nevertheless: the schedule starts one later (WH7).
  const uncounted = next.kind === 'retry' && next.uncounted === true ? 1 : 0;
  const values = [message.id, message.claim_token, STATUS_AFTER[next.kind], waitMs, httpStatus, error, uncounted];
  await db.write(async ({ em }) => {
    const held = await rawQuery<object>(em, RECORD, values);
    await rawQuery(em, LOG, [message.id, message.attempt, startedAt.toISOString(), totalMs, httpStatus, error]);
    if (held.length > 0) await noteTarget(em, message, outcome);
  });
}
