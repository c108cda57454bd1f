// Leases due deliveries, and checks the lease again before the POST. Short, fenced, never across HTTP.
import type { Database } from '../db/database.ts';
import type { Em } from '../db/orm.ts';
import { planned } from '../db/connection/planned.ts';
import { endpointOf, GETS_DELIVERIES, URL_OF_ENDPOINT } from '../db/endpoint-columns.ts';
import { UNDELIVERED } from '../db/undelivered.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { AttemptError, Dispatched, NextStep } from '../domain/webhooks/retry.ts';
import { secretsOf, type SecretsRow, type StoredSecrets } from '../domain/webhooks/signing.ts';

/** A leased delivery with what is needed to send it. */
export interface Leased {
  id: string;
  projectId: string;
  /** That of the project for the endpoint of its settings (WH12). */
  endpointId: string;
  itemId: string;
  webhookId: string;
  body: string;
  /** The trace context of its item's submission (WH9). */
  traceparent: string | null;
  /** The number of the attempt of this lease, from 1. */
  attempt: number;
  /**
   * The number of attempts that the schedule does not count: those before the last replay, and those that our proxy
   * lost since (WH7).
   */
  scheduleFrom: number;
  claimToken: string;
  /** The error of the previous attempt. */
  previousError: AttemptError | null;
  url: string;
  /** The single attempt that an open circuit lets through (WH5). */
  probe: boolean;
}

/** An attempt that was made, and what follows it. */
export interface FinishedAttempt {
  leased: Leased;
  outcome: Dispatched;
  next: NextStep;
  startedAt: Date;
}

/** With the secrets that sign it. */
export type ReadyToSend = [Leased, StoredSecrets<string>];

/** Longer than three whole attempts: a lease is never renewed, so it must outlast the slowest POST by far. */
export const LEASE_SECONDS = 60;

/**
 * The delivery `x` does not wait for an earlier one of its item to the same endpoint. `is not distinct from` keeps the planner from
 * an index of endpoints: while the statistics show few deliveries, it would read that for a whole backlog.
 */
export const FIRST_OF_ITEM = `(
  select true from delivery y where y.item_id = x.item_id and y.seq < x.seq and y.status in ('pending', 'sending')
    and y.endpoint_id is not distinct from x.endpoint_id limit 1) is null`;

/** What this worker may lease now. */
export interface LeaseCapacity {
  /** POSTs that may start now, in total. */
  limit: number;
  /**
   * How many of them may be retries: the rest is reserved for first attempts, so that failing receivers delay no
   * others.
   */
  retries: number;
  /** POSTs in flight, in total and per endpoint. */
  posting: number;
  inFlight: ReadonlyMap<string, number>;
}

/** Maximum concurrent POSTs to one endpoint in one process: while it responds, and from its first failure on. */
export const MAX_POSTS_PER_ENDPOINT = 16;
const MAX_POSTS_WHEN_FAILING = 2;
/**
 * Maximum concurrent POSTs to all endpoints of a project, in equal shares of those that have something to send, so that a slow one
 * never uses what others need: with up to four each gets sixteen, with ten each gets six.
 */
export const MAX_POSTS_PER_PROJECT = 64;

/** Longer than one attempt: if its worker crashes, the next attempt is let through after this. */
export const PROBE_SECONDS = 25;

/** A delivery of its endpoint is due and waits for nothing else. */
const DUE = `x.next_attempt_at <= now()
  and (x.status = 'pending' or (x.status = 'sending' and x.lease_until < now())) and ${FIRST_OF_ITEM}`;

/**
 * $1, $2: the endpoints in flight and their counts; $3: how many retries; $4: how many in total. One lease takes at most
 * half of an endpoint's permits: the next one is prepared while these are sent. `probes` lets one attempt through to each
 * endpoint whose circuit pause is over (WH5): of any number of workers, one gets it. Chosen rows are locked where they
 * are found, and rows that another worker has locked are skipped: workers get different ones, and the update finds each
 * row by its ctid, which nobody can change before the statement ends.
 */
const LEASE = planned(`with recursive ${UNDELIVERED}, busy as (
     select * from unnest($1::uuid[], $2::int[]) as b(endpoint_id, n)
   ), probes as (
     update webhook_endpoint set open_until = now() + interval '${PROBE_SECONDS} s' where id in (
       select e.id from webhook_endpoint e join project p on p.id = e.project_id
       where e.open_until <= now() and e.state = 'active' and ${GETS_DELIVERIES}
         and not exists (select 1 from busy b where b.endpoint_id = e.id and b.n >= ${MAX_POSTS_WHEN_FAILING})
         and exists (select 1 from delivery x where ${endpointOf('x')} = e.id and ${DUE})
       order by e.id limit $4 for update of e skip locked)
     returning id
   ), takes as materialized (
     select e.id, ${URL_OF_ENDPOINT} as url, e.open_until is not null as probe,
       case when e.open_until is not null then 1
         else least(${MAX_POSTS_PER_ENDPOINT / 2}, case when e.failures > 0 then ${MAX_POSTS_WHEN_FAILING}
           else least(${MAX_POSTS_PER_ENDPOINT}, ${MAX_POSTS_PER_PROJECT} / count(*) over (partition by e.project_id)) end - coalesce(b.n, 0))
         end as free
     from undelivered u join webhook_endpoint e on e.id = u.endpoint_id
     join project p on p.id = e.project_id and ${GETS_DELIVERIES}
     left join busy b on b.endpoint_id = e.id
     where e.state = 'active' and (e.open_until is null or e.id in (select id from probes))
   ), due as materialized (
     select x.at, x.next_attempt_at, t.url, t.probe, x.retry,
       row_number() over (partition by x.retry order by x.next_attempt_at) as place
     from takes t cross join lateral (
       select x.ctid as at, x.next_attempt_at, x.attempt > x.schedule_from as retry from delivery x
       where ${endpointOf('x')} = t.id and ${DUE}
       order by x.next_attempt_at limit greatest(t.free, 0) for update of x skip locked
     ) x
   ), taken as materialized (
     select at, url, probe from due where not retry or probe or place <= $3
     order by probe desc, next_attempt_at limit $4
   )
   update delivery d set status = 'sending', claim_token = gen_random_uuid(), attempt = d.attempt + 1,
     lease_until = now() + interval '${LEASE_SECONDS} s'
   from taken where d.ctid = taken.at and d.ctid = any(array(select at from taken))
   returning d.id, d.project_id, ${endpointOf('d')} as endpoint_id, d.item_id, d.webhook_id, d.body, d.attempt, d.schedule_from, d.claim_token, d.error,
     taken.url, taken.probe, (select i.traceparent from item i where i.id = d.item_id) as traceparent`);

/**
 * Leases due deliveries, oldest first, as far as there is room for their endpoints. Skips paused endpoints, open
 * circuits (WH5; one attempt goes to each whose pause is over), and items with
 * an earlier undelivered delivery to the same endpoint.
 */
export async function leaseDue(em: Em, capacity: LeaseCapacity): Promise<Leased[]> {
  const inFlight = [...capacity.inFlight];
  const rows = await rawQuery<LeasedRow>(em, LEASE, [
    inFlight.map(([endpointId]) => endpointId),
    inFlight.map(([, n]) => n),
    capacity.retries,
    capacity.limit,
  ]);
  return rows.map(toLeased);
}

interface LeasedRow {
  id: string;
  project_id: string;
  endpoint_id: string;
  item_id: string;
  webhook_id: string;
  body: string;
  traceparent: string | null;
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
  endpointId: row.endpoint_id,
  itemId: row.item_id,
  webhookId: row.webhook_id,
  body: row.body,
  traceparent: row.traceparent,
  attempt: row.attempt,
  scheduleFrom: row.schedule_from,
  claimToken: row.claim_token,
  previousError: row.error,
  url: row.url,
  probe: row.probe,
});

/**
 * The delivery `d` is being sent. Not as an index condition: while the statistics show few such rows, PostgreSQL would
 * skip through the index of the status instead of using the key, which costs a hundred times as much.
 */
export const SENDING = `(d.status = 'sending') is true`;

/** The signing secrets of the endpoint `e`. */
export const SECRETS = `e.current, e.next, e.promote_at as "promoteAt", e.previous, e.previous_until as "previousUntil",
  e.overlap_hours as "overlapHours"`;

const STILL_LEASED = planned(`
  select string_agg(d.claim_token::text, ',') as tokens, ${SECRETS}
  from delivery d join webhook_endpoint e on e.id = ${endpointOf('d')}
  where d.id = any($1::uuid[]) and ${SENDING} and e.is_enabled and e.removed_at is null
  group by e.id`);

/**
 * Those whose lease is still held, each with its signing secrets. Checked immediately before the POSTs (AR2). A lease may be committed
 * after its endpoint was removed.
 */
export async function stillLeased(em: Em, leased: readonly Leased[]): Promise<ReadyToSend[]> {
  if (leased.length === 0) return [];
  const ids = leased.map(({ id }) => id);
  const rows = await rawQuery<SecretsRow<string> & { tokens: string }>(em, STILL_LEASED, [ids]);
  const byToken = new Map(
    rows.flatMap(({ tokens, ...row }) => {
      const secrets = secretsOf(row);
      return tokens.split(',').map((token) => [token, secrets]);
    }),
  );
  return leased.flatMap((each): ReadyToSend[] => {
    const secrets = byToken.get(each.claimToken);
    return secrets === undefined ? [] : [[each, secrets]];
  });
}

const NEXT_DUE = planned(`
  with recursive ${UNDELIVERED}
  select extract(epoch from min(greatest(d.at, e.open_until)) - now()) as seconds
  from undelivered u join webhook_endpoint e on e.id = u.endpoint_id
  cross join lateral (
    select x.next_attempt_at as at from delivery x where ${endpointOf('x')} = e.id and x.status = 'pending'
      and x.next_attempt_at > case when e.open_until > now() then '-infinity' else now() end and ${FIRST_OF_ITEM}
    order by x.next_attempt_at limit 1
  ) d
  where e.state = 'active' and e.is_enabled`);

/** When the next pending delivery is due, by our own clock; only the difference comes from the database. */
export async function nextDue(db: Pick<Database, 'read'>): Promise<Date | null> {
  const [row] = await db.read((em) => rawQuery<{ seconds: string | number | null }>(em, NEXT_DUE, []));
  const seconds = row?.seconds ?? null;
  return seconds === null ? null : new Date(Date.now() + Math.max(0, Number(seconds) * 1000) + 1);
}
