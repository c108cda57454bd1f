// Evaluates the rules of all notifications, and writes the messages to send: each rule speaks once (NO2).
import { REPLACED } from '@countersign/shared/enums';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { endpointName } from '@countersign/shared/formats/endpoint-name';
import type { Tx } from '../db/database.ts';
import { ENDED_REMINDER } from '../db/ended-reminder.ts';
import { GETS_DELIVERIES, URL_OF_ENDPOINT } from '../db/endpoint-columns.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import {
  COUNT_LIMIT,
  type Facts,
  type Finding,
  findingsOf,
  SILENCE_SECONDS,
} from '../domain/notifications/findings.ts';
import { projectLink, reminderBody } from '../domain/notifications/message.ts';
import type { Services } from '../usecases/services.ts';
import { targetDigest } from './reminder-circuit.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const REMIND_MS = 15_000;

/**
 * One check of every project with notifications, by the database's clock. Several workers may run it concurrently: the
 * one that locks the project's row acts, the others leave it out. A crash writes nothing of a project, or all.
 */
export async function remindOnce(services: Services): Promise<Next> {
  const rows = await services.db.read((em) => em.execute<Watched[]>(WATCHED));
  for (const project of rows)
    await remind(services, project).catch((error: unknown) =>
      services.log.error({ project: project.id, err: error }, 'reminders could not be written'),
    );
  return {};
}

const WATCHED = `select id, notifications::text as notifications from project where notifications <> '[]' and archived_at is null and deleted_at is null`;

interface Watched {
  id: string;
  notifications: string;
}

interface Held {
  name: string;
  notifications: string;
  stopped: boolean;
  over_budget: boolean;
  /** The endpoints that an owner has to resume. */
  paused: { description: string; url: string | null }[];
  several: boolean;
}

const HOLD = `
  select p.name, p.notifications::text as notifications, p.stopped_at is not null as stopped,
    p.over_budget_since is not null as over_budget,
    (select coalesce(jsonb_agg(jsonb_build_object('description', e.description, 'url', ${URL_OF_ENDPOINT}) order by e.created_at, e.id), '[]')
      from webhook_endpoint e where e.project_id = p.id and e.state = 'paused' and ${GETS_DELIVERIES}) as paused,
    (select count(*) > 1 from webhook_endpoint e
      where e.project_id = p.id and e.removed_at is null and ${URL_OF_ENDPOINT} is not null) as several
  from project p where p.id = $1 and p.archived_at is null and p.deleted_at is null for no key update of p skip locked`;

/**
 * The commit of an expiry may follow its time by some seconds: only expiries older than this are counted, so that each is
 * counted once.
 */
const SETTLED = `date_trunc('milliseconds', now()) - interval '10 s'`;

/**
 * $1: the project; $2: minutes; $3: the share of a span; $4: the target that asks for expiries. Null: not asked for. `since`: from
 * when expiries count: since the rule last spoke, or, where that message (`untold`) still waits, from when that one counts.
 */
const COUNT = `
  with last as materialized (
    select r.spoke_at, r.counted_from, m.id as untold from notification_rule r
    left join notification_message m on m.id = r.message_id and m.status in ('pending', 'sending')
    where r.project_id = $1 and r.target = $4 and r.rule = 'expired'
  ), since as materialized (
    select coalesce((select case when untold is null then spoke_at else counted_from end from last),
      date_trunc('milliseconds', now()) - make_interval(secs => ${SILENCE_SECONDS})) as at
  )
  select (select count(*) from (select 1 from item where project_id = $1 and status in ('queued', 'escalated')
      limit ${COUNT_LIMIT}) waiting) as waiting,
    (select count(*) from (select 1 from item where project_id = $1 and status in ('queued', 'escalated')
      and created_at < now() - make_interval(mins => $2::int) limit ${COUNT_LIMIT}) old) as longer,
    (select count(*) from (select 1 from item where project_id = $1 and status in ('queued', 'escalated')
      and deadline > (select deadline_clock()) and $3::float8 is not null
      and deadline - make_interval(secs => (deadline_span + coalesce(deadline_extension, 0)) * (1 - $3::float8)) <= (select deadline_clock())
      limit ${COUNT_LIMIT}) near) as near,
    (select count(*) from (select 1 from item where project_id = $1 and not audit and $4::text is not null
      and expired_at <= ${SETTLED} and expired_at > (select at from since) - interval '10 s'
      limit ${COUNT_LIMIT}) ended) as expired,
    (select at::text from since) as since, (select untold from last) as untold`;

/**
 * A row only if the rule did not speak lately, or spoke in one of the messages $6, which were not delivered and are replaced: the
 * key decides among workers. $4: the message; $5: from when it counts expiries.
 */
const SPEAK = `
  insert into notification_rule as r (project_id, target, rule, spoke_at, message_id, counted_from)
  values ($1, $2, $3, date_trunc('milliseconds', now()), $4, $5::timestamptz)
  on conflict (project_id, target, rule) do update
    set spoke_at = excluded.spoke_at, message_id = excluded.message_id, counted_from = excluded.counted_from
    where r.spoke_at <= now() - make_interval(secs => ${SILENCE_SECONDS}) or r.message_id = any($6::uuid[])
  returning 1`;

/**
 * A rule that spoke after the message that it names did so in a message of an earlier version, which stored nothing of it. What
 * the named one said can then not be told from what that one said: no rule names either.
 */
const FORGET = `
  update notification_rule set message_id = null, counted_from = null
  where project_id = $1 and target = $2 and message_id in (
    select m.id from notification_rule r join notification_message m on m.id = r.message_id
    where r.project_id = $1 and r.target = $2 and r.spoke_at > m.created_at)`;

/**
 * Locks what waits for a target, also behind the record of an attempt. An expired lease does not count as an attempt. Only what a rule
 * names: what another message said is not known, so it is sent.
 */
const WAITING = `
  select id, status = 'sending' and lease_until >= now() as busy from notification_message
  where project_id = $1 and target = $2 and status in ('pending', 'sending')
    and id in (select message_id from notification_rule where project_id = $1 and target = $2)
  order by id for update`;

const REPLACE = `update notification_message set ${ENDED_REMINDER}, error = '${REPLACED}' where id = any($1::uuid[])`;

/** Rounded down to the precision of the column, so that it is due at once. */
const WRITE = `
  insert into notification_message (id, project_id, kind, url, target, body, status, next_attempt_at, created_at)
  values ($1, $2, $3, $4, $5, $6, 'pending', date_trunc('milliseconds', now()), now())`;

/**
 * One transaction, so that a rule counts up to the time at which it speaks: what is left out of a message is in the next one.
 * Counts first: while the project's row is held, its events get no sequence numbers.
 */
async function remind(services: Services, { id, notifications }: Watched): Promise<void> {
  await services.db.write(async (tx) => {
    const counted = new Map<string, Counts>();
    for (const notification of JSON.parse(notifications) as Notification[]) {
      const target = targetDigest(notification);
      counted.set(target, await countsOf(tx.em, { projectId: id, target }, notification));
    }
    await speak(services, tx, { projectId: id, counted });
  });
}

async function speak(
  services: Services,
  tx: Tx,
  { projectId, counted }: { projectId: string; counted: ReadonlyMap<string, Counts> },
): Promise<void> {
  const [held] = await rawQuery<Held>(tx.em, HOLD, [projectId]);
  if (held === undefined) return;
  const at = services.clock.now();
  const link = projectLink(services.baseUrl, projectId);
  const { stopped, over_budget: overBudget, paused, several } = held;
  const pausedEndpoints = several ? paused.flatMap((endpoint) => endpointName(endpoint) ?? []) : [];
  const facts = { stopped, overBudget, webhookPaused: paused.length > 0, pausedEndpoints };
  for (const { kind, url, rules } of JSON.parse(held.notifications) as Notification[]) {
    const target = targetDigest({ kind, url });
    const counts = counted.get(target);
    // It was added meanwhile: the next check counts for it.
    if (counts === undefined) continue;
    const message = { id: services.ids.uuid(), projectId, target, counts };
    const findings = await spoken(tx.em, message, findingsOf(rules, { ...counts, ...facts }));
    if (findings.length === 0) continue;
    const body = reminderBody(kind, { projectId, name: held.name, link, findings, at });
    await rawQuery(tx.em, WRITE, [message.id, projectId, kind, url, target, body]);
  }
}

/**
 * What of the findings a new message to a target says. It replaces what still waits for the target and is named by a rule, and
 * says that too as it is now: a target that works again gets one message, and no old one. Nothing while an attempt is made,
 * which may deliver it.
 */
async function spoken(
  em: Em,
  { id, projectId, target, counts }: { id: string; projectId: string; target: string; counts: Counts },
  findings: readonly Finding[],
): Promise<Finding[]> {
  if (findings.length === 0) return [];
  await rawQuery(em, FORGET, [projectId, target]);
  const waiting = await rawQuery<{ id: string; busy: boolean }>(em, WAITING, [projectId, target]);
  const ids = waiting.map((message) => message.id);
  // Delivered since it was counted, or not to be replaced: the next check counts from then on.
  const isOutdated = counts.untold !== null && !ids.includes(counts.untold);
  if (isOutdated || waiting.some(({ busy }) => busy)) return [];
  const speak = async (rule: Finding['rule'], replaced: readonly string[]) => {
    const from = rule === 'expired' ? counts.since : null;
    const rows = await rawQuery<object>(em, SPEAK, [projectId, target, rule, id, from, replaced]);
    return rows.length > 0;
  };
  const said = new Set<Finding>();
  for (const finding of findings) if (await speak(finding.rule, [])) said.add(finding);
  if (said.size === 0) return [];
  for (const finding of findings) if (!said.has(finding) && (await speak(finding.rule, ids))) said.add(finding);
  await rawQuery(em, REPLACE, [ids]);
  return findings.filter((finding) => said.has(finding));
}

interface Counts extends Pick<Facts, 'waiting' | 'waitingLonger' | 'nearDeadline' | 'expired'> {
  /** From when `expired` counts. */
  since: string;
  /** The message that still waits with what expired before. */
  untold: string | null;
}

interface CountRow
  extends Record<'waiting' | 'longer' | 'near' | 'expired', string>, Pick<Counts, 'since' | 'untold'> {}

async function countsOf(
  em: Em,
  { projectId, target }: { projectId: string; target: string },
  { rules }: Notification,
): Promise<Counts> {
  const minutes = rules.find((rule) => rule.rule === 'waiting_longer_than')?.minutes ?? null;
  const share = rules.find((rule) => rule.rule === 'deadline_near')?.share ?? null;
  const expiredFor = rules.some(({ rule }) => rule === 'expired') ? target : null;
  const [counts] = await rawQuery<CountRow>(em, COUNT, [projectId, minutes, share, expiredFor]);
  if (counts === undefined) throw new Error('A count has one row.');
  return {
    waiting: Number(counts.waiting),
    waitingLonger: Number(counts.longer),
    nearDeadline: Number(counts.near),
    expired: Number(counts.expired),
    since: counts.since,
    untold: counts.untold,
  };
}
