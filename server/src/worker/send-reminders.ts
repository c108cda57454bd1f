// Sends the written reminders: leased, behind the guard of webhooks, and repeated on their schedule (NO5).
import { rawQuery } from '../db/raw-query.ts';
import { webhookIdOf } from '../domain/webhooks/delivered-events.ts';
import { nextStep, type NextStep, type Outcome } from '../domain/webhooks/retry.ts';
import { secretsOf } from '../domain/webhooks/signing.ts';
import { SendPermits } from '../delivery/send-permits.ts';
import { errorAfter } from '../delivery/record.ts';
import type { Services } from '../usecases/services.ts';
import { type LeasedReminder, leaseReminders, REMINDER_LIMITS } from './lease-reminders.ts';
import type { Next } from './loop.ts';
import { noteTarget } from './reminder-circuit.ts';

/** Polling interval, in milliseconds. */
export const SEND_REMINDERS_MS = 2000;

const RECORD = `
  update notification_message set status = $3, next_attempt_at = now() + make_interval(secs => $4::float8 / 1000), http_status = $5,
    error = ${errorAfter('error', { error: '$6', uncounted: '$7::int > 0' })},
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

export interface ReminderSender {
  /** Fills the free permits with due reminders. */
  runOnce(): Promise<Next>;
  /** Waits for the POSTs in flight. */
  drain(): Promise<void>;
}

/**
 * Creates the sender of one worker; `onFree` is called when it may have room for more. Any number of workers may send at the
 * same time: each leases others, and a crash ends with the lease.
 */
export function createReminderSender(services: Services, onFree: () => void = () => undefined): ReminderSender {
  const permits = new SendPermits(onFree, REMINDER_LIMITS);
  const attempt = async (message: LeasedReminder) => {
    const outcome = await send(services, message);
    permits.throttle.note(outcome);
  };
  const start = (message: LeasedReminder) =>
    permits.run({ projectId: message.project_id, endpointId: message.target, isRetry: message.retry }, () =>
      attempt(message).catch((error: unknown) => logUnrecorded(services, message, error)),
    );
  const lease = async (capacity: Parameters<typeof leaseReminders>[1]) => {
    const leased = await services.db.statement((em) => leaseReminders(em, capacity));
    for (const message of leased) start(message);
    return leased;
  };
  return {
    runOnce: async () => (await permits.fill(lease, (leased, { limit }) => leased.length === limit)) ?? {},
    drain: () => permits.drain(),
  };
}

const logUnrecorded = ({ log }: Services, { id, project_id: project }: LeasedReminder, error: unknown): void =>
  log.error({ err: error, project, message: id }, 'the result of a reminder was not recorded; its lease will expire');

/** Makes one attempt and records it. */
async function send(services: Services, message: LeasedReminder): Promise<Outcome> {
  const { id, project_id: projectId, url, body, attempt, schedule_from: from, error: previousError } = message;
  const startedAt = services.clock.now();
  const outcome = await services.dispatchWebhook({
    // With the secrets of the endpoint of the settings.
    ...{ projectId, endpointId: projectId, url, body, attempt, secrets: secretsOf(message) },
    ...{ webhookId: webhookIdOf(id), at: startedAt },
    // A signature says nothing to Slack or Teams.
    unsigned: message.kind !== 'webhook',
  });
  const now = services.clock.now();
  const next = nextStep({ ...outcome, attempt: attempt - from, previousError, now, jitter: Math.random() });
  await record(services, message, { outcome, next, startedAt });
  return outcome;
}

async function record(
  { db }: Services,
  message: LeasedReminder,
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
