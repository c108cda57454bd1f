// The delivery's SQL: lease what is due, and write what came of an attempt. Both short, both fenced, never across HTTP.
import type { Tx } from '../db/database.ts';
import type { Em } from '../db/orm.ts';
import { WebhookEndpoint } from '../db/entities/webhook-endpoint.ts';
import { rawQuery } from '../db/raw-query.ts';
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
  /** It is the one let through to an endpoint that is left alone (WH5). */
  probe: boolean;
}

/** Longer than three whole attempts: a lease is never renewed, so it must outlast the slowest POST by far. */
const LEASE_SECONDS = 60;

/** The delivery `x` waits for no earlier one of its item. */
export const FIRST_OF_ITEM = `not exists (
  select 1 from delivery y where y.item_id = x.item_id and y.seq < x.seq and y.status in ('pending', 'sending'))`;

/** What this worker has room for. */
export interface Room {
  /** POSTs that may begin now, in all. */
  limit: number;
  /** How many of them may be retries: the rest is kept for first attempts, so that failing receivers hold nobody up. */
  retries: number;
  /** POSTs under way per project. */
  inFlight: ReadonlyMap<string, number>;
}

/** POSTs to one project's endpoint at once, in one process: while it answers, and from its first failure on. */
const SLOTS_PER_PROJECT = 8;
export const SLOTS_WHEN_FAILING = 2;

/** The projects that have something on its way, from step to step along the index: those that have nothing cost nothing. */
export const UNDELIVERED = `undelivered as (
  (select project_id from delivery where status in ('pending', 'sending') order by project_id limit 1)
  union all
  select (select d.project_id from delivery d
    where d.status in ('pending', 'sending') and d.project_id > u.project_id order by d.project_id limit 1)
  from undelivered u where u.project_id is not null)`;

/** In-flight projects and their counts, the projects that may be probed, how many retries, how many in all. */
const LEASE = `with recursive ${UNDELIVERED}, takes as materialized (
     select e.project_id, p.webhook_url as url, e.open_until is not null as probe,
       case when e.open_until is not null then least(1, ${SLOTS_WHEN_FAILING} - coalesce(busy.n, 0))
         else case when e.failures > 0 then ${SLOTS_WHEN_FAILING} else ${SLOTS_PER_PROJECT} end - coalesce(busy.n, 0) end as free
     from undelivered u join webhook_endpoint e on e.project_id = u.project_id
     join project p on p.id = e.project_id and p.webhook_url is not null
     left join unnest(?::uuid[], ?::int[]) busy(project_id, n) on busy.project_id = e.project_id
     where e.state = 'active' and (e.open_until is null or e.project_id = any(?::uuid[]))
   ), due as (
     select x.id, x.next_attempt_at, t.url, t.probe, x.retry,
       row_number() over (partition by x.retry order by x.next_attempt_at) as place
     from takes t cross join lateral (
       select x.id, x.next_attempt_at, x.attempt > x.schedule_from as retry from delivery x
       where x.project_id = t.project_id and x.next_attempt_at <= now()
         and (x.status = 'pending' or (x.status = 'sending' and x.lease_until < now()))
         and ${FIRST_OF_ITEM}
       order by x.next_attempt_at limit greatest(t.free, 0)
     ) x
   ), taken as (
     select w.id, due.url, due.probe from delivery w join due on due.id = w.id
     where (not due.retry or due.probe or due.place <= ?)
       and (w.status = 'pending' or (w.status = 'sending' and w.lease_until < now())) and w.next_attempt_at <= now()
     order by due.probe desc, due.next_attempt_at limit ? for update of w skip locked
   )
   update delivery d set status = 'sending', claim_token = gen_random_uuid(), attempt = d.attempt + 1,
     lease_until = now() + interval '${LEASE_SECONDS} s'
   from taken where d.id = taken.id
   returning d.id, d.project_id, d.item_id, d.webhook_id, d.body, d.attempt, d.schedule_from, d.claim_token, d.error,
     taken.url, taken.probe`;

/**
 * Leases what is due, oldest first, as far as there is room for its project. Skips paused endpoints, those left alone (WH5; to each of
 * `probes` one goes all the same), and items whose earlier delivery is still on its way.
 */
export async function leaseDue({ em }: Tx, room: Room, probes: readonly string[] = []): Promise<Leased[]> {
  const inFlight = [...room.inFlight];
  const rows = await em.execute<LeasedRow[]>(LEASE, [
    uuidArray(inFlight.map(([projectId]) => projectId)),
    `{${inFlight.map(([, n]) => n).join(',')}}`,
    uuidArray(probes),
    room.retries,
    room.limit,
  ]);
  return rows.map(toLeased);
}

const uuidArray = (ids: readonly string[]): string => `{${ids.join(',')}}`;

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
  probe: boolean;
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
  probe: row.probe,
});

/** Those whose lease is still the one that was given, each with its endpoint's row. Asked at the last moment before the POSTs (AR2). */
export async function stillLeased(em: Em, leased: readonly Leased[]): Promise<[Leased, WebhookEndpoint][]> {
  if (leased.length === 0) return [];
  const rows = await rawQuery<{ id: string; claim_token: string }>(
    em,
    `select id, claim_token from delivery where id in (select text::uuid from json_array_elements_text($1::json) as k(text)) and status = 'sending'`,
    [JSON.stringify(leased.map(({ id }) => id))],
  );
  const tokens = new Map(rows.map((row) => [row.id, row.claim_token]));
  const endpoints = await em.find(WebhookEndpoint, { projectId: { $in: leased.map(({ projectId }) => projectId) } });
  const ofProject = new Map(endpoints.map((endpoint) => [endpoint.projectId, endpoint]));
  return leased.flatMap((each): [Leased, WebhookEndpoint][] => {
    const endpoint = ofProject.get(each.projectId);
    return endpoint !== undefined && tokens.get(each.id) === each.claimToken ? [[each, endpoint]] : [];
  });
}

/** A delivery's status after the step. */
export const STATUS_AFTER = {
  succeeded: 'succeeded',
  retry: 'pending',
  dead: 'dead',
  pause: 'paused',
} as const satisfies Record<NextStep['kind'], string>;

/** One attempt that has ended, and what follows it. */
export interface Done {
  leased: Leased;
  outcome: Outcome;
  next: NextStep;
  startedAt: Date;
}

/** Fenced by the lease: who lost it changes nothing here. */
const FINISH = `
  update delivery d set status = r.status, next_attempt_at = r.next_at, claim_token = null, lease_until = null,
    http_status = r.http_status, error = r.error,
    completed_at = case when r.status in ('succeeded', 'dead') then now() end
  from json_to_recordset($1::json) as r(id uuid, token uuid, status text, next_at timestamptz, http_status int, error text)
  where d.id = r.id and d.claim_token = r.token and d.status = 'sending' returning d.id`;

/**
 * Writes attempts and what comes next, for any number of deliveries at once.
 * @returns for each whether its lease still held: where it did not only the attempt is kept, as `lease_lost`.
 */
export async function finishAll({ em }: Tx, done: readonly Done[]): Promise<boolean[]> {
  const steps = done.map(({ leased, outcome, next }) => ({
    id: leased.id,
    token: leased.claimToken,
    status: STATUS_AFTER[next.kind],
    next_at: next.kind === 'retry' ? next.at : null,
    http_status: outcome.httpStatus,
    error: outcome.error,
  }));
  const kept = new Set((await rawQuery<{ id: string }>(em, FINISH, [JSON.stringify(steps)])).map(({ id }) => id));
  await writeAttempts(em, done, kept);
  return done.map(({ leased }) => kept.has(leased.id));
}

const ATTEMPT_COLUMNS =
  'delivery_id, n, url, started_at, total_ms, http_status, error, response_text, remote_address, dns_ms, connect_ms, tls_ms, first_byte_ms';

const WRITE_ATTEMPTS = `
  insert into attempt (${ATTEMPT_COLUMNS})
  select ${ATTEMPT_COLUMNS} from json_to_recordset($1::json) as r(delivery_id uuid, n int, url text, started_at timestamptz,
    total_ms float8, http_status int, error text, response_text text, remote_address text, dns_ms float8, connect_ms float8,
    tls_ms float8, first_byte_ms float8)
  on conflict (delivery_id, n) do update set error = excluded.error`;

async function writeAttempts(em: Em, done: readonly Done[], kept: ReadonlySet<string>): Promise<void> {
  const attempts = done.map(({ leased, outcome, startedAt }) => ({
    delivery_id: leased.id,
    n: leased.attempt,
    url: leased.url,
    started_at: startedAt,
    total_ms: outcome.totalMs,
    http_status: outcome.httpStatus,
    error: kept.has(leased.id) ? outcome.error : 'lease_lost',
    response_text: outcome.responseText,
    remote_address: outcome.remoteAddress,
    dns_ms: outcome.timings.dnsMs,
    connect_ms: outcome.timings.connectMs,
    tls_ms: outcome.timings.tlsMs,
    first_byte_ms: outcome.timings.firstByteMs,
  }));
  await rawQuery(em, WRITE_ATTEMPTS, [JSON.stringify(attempts)]);
}
