// Leases due reminders: fairly among projects, one at a time to each target, and retries only up to their share (NO5).
import type { NotificationKind } from '@countersign/shared/enums';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { AttemptError } from '../domain/webhooks/retry.ts';
import type { SecretsRow } from '../domain/webhooks/signing.ts';
import { type LeaseCapacity, LEASE_SECONDS, PROBE_SECONDS, SECRETS } from '../delivery/lease.ts';
import type { PostLimits } from '../delivery/send-permits.ts';

/** Concurrent POSTs of reminders of one process: a third is reserved for first attempts to targets that do not fail. */
export const REMINDER_LIMITS: PostLimits = { posts: 32, retries: 21 };
/** Reminders of one project that are sent at the same time, by all processes together. */
const MAX_PER_PROJECT = 4;

/** A leased reminder with what is needed to send it. */
export interface LeasedReminder extends SecretsRow<string> {
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
  /** It uses the share of retries. */
  retry: boolean;
}

/** The message `x` is due. */
const due = (x: string) =>
  `${x}.status in ('pending', 'sending') and ${x}.next_attempt_at <= now() and (${x}.status = 'pending' or ${x}.lease_until < now())`;

/** The message `x` is being sent, by this or another process. */
const underWay = (x: string) => `${x}.status = 'sending' and ${x}.lease_until >= now()`;

/**
 * $1: how many in total; $2: how many retries. A project that was deleted or archived meanwhile sends nothing more (AR2).
 *
 * `waiting`: one message of each target that may get one now: the one that became due last, so that one that an owner sends
 * again goes first (NO6). `turns`: the first of every project before the second of any, and in each project those to targets
 * that do not fail first. `probes`: to a target whose circuit is open goes one message, once its time is over: of any number
 * of workers, one gets it (WH5). Only a target whose message was chosen and locked is marked: no probe is spent unsent.
 */
const LEASE = `
  with waiting as (
    select distinct on (m.project_id, m.target) m.id, m.project_id, m.target, m.next_attempt_at, t.open_until is not null as probe,
      m.attempt > m.schedule_from or coalesce(t.failures, 0) > 0 as retry
    from notification_message m join project p on p.id = m.project_id
    left join notification_target t on t.project_id = m.project_id and t.target = m.target
    where ${due('m')} and p.deleted_at is null and p.archived_at is null and (t.open_until is null or t.open_until <= now())
      and not exists (select from notification_message s where s.project_id = m.project_id and s.target = m.target and ${underWay('s')})
    order by m.project_id, m.target, m.next_attempt_at desc, m.id
  ), busy as (
    select s.project_id, count(*) as n from notification_message s where ${underWay('s')} group by s.project_id
  ), placed as (
    select w.*, coalesce(b.n, 0) + row_number() over (partition by w.project_id order by w.retry, w.next_attempt_at, w.id) as place
    from waiting w left join busy b on b.project_id = w.project_id
  ), turns as (
    select *, row_number() over (partition by retry order by place, next_attempt_at, id) as turn from placed
    where place <= ${MAX_PER_PROJECT}
  ), chosen as (
    select * from turns where not retry or turn <= $2::int order by place, next_attempt_at, id limit $1::int
  ), locked as materialized (
    select m.id, c.project_id, c.target, c.probe, c.retry from chosen c join notification_message m on m.id = c.id
    where ${due('m')} for update of m skip locked
  ), probes as (
    update notification_target set open_until = now() + interval '${PROBE_SECONDS} s' where (project_id, target) in (
      select t.project_id, t.target from notification_target t join locked l on l.project_id = t.project_id and l.target = t.target
      where l.probe and t.open_until <= now() order by t.project_id, t.target for update of t skip locked)
    returning project_id, target
  ), taken as (
    select l.* from locked l left join probes b on b.project_id = l.project_id and b.target = l.target
    where not l.probe or b.target is not null
  )
  update notification_message m set status = 'sending', claim_token = gen_random_uuid(), attempt = m.attempt + 1,
    lease_until = now() + interval '${LEASE_SECONDS} s'
  from taken, webhook_endpoint e where m.id = taken.id and e.id = m.project_id
  returning m.id, m.project_id, m.kind, m.url, m.target, m.body, m.attempt, m.schedule_from, m.claim_token, m.error,
    taken.probe, taken.retry, ${SECRETS}`;

/** Leases due reminders, as far as there is room for them, their projects and their targets. */
export const leaseReminders = (
  em: Em,
  { limit, retries }: Pick<LeaseCapacity, 'limit' | 'retries'>,
): Promise<LeasedReminder[]> => rawQuery<LeasedReminder>(em, LEASE, [limit, retries]);
