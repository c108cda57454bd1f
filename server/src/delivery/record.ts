// Records attempts in batches, all by one statement, fenced by their leases. The relay sequences their events.
import { EVENTS_APPENDED } from '../db/connection/channels.ts';
import { URL_OF_ENDPOINT } from '../db/endpoint-columns.ts';
import { planned } from '../db/connection/planned.ts';
import { DatabaseGone, toEventRow, type Tx } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { SYSTEM } from '../domain/access/actor.ts';
import type { NextStep } from '../domain/webhooks/retry.ts';
import type { Services } from '../usecases/services.ts';
import { type Alert, logAlert, noteEndpoints } from './health.ts';
import { type FinishedAttempt, SENDING } from './lease.ts';

/** The status of a delivery after the step. */
const STATUS_AFTER = {
  succeeded: 'succeeded',
  retry: 'pending',
  dead: 'dead',
  pause: 'paused',
} as const satisfies Record<NextStep['kind'], string>;

/**
 * The error of a row after an attempt: one that our own proxy lost says nothing of the receiver (WH7), so an earlier refusal by the
 * guard still counts as the first (WH4).
 */
export const errorAfter = (before: string, { error, uncounted }: { error: string; uncounted: string }): string =>
  `case when ${uncounted} and ${before} in ('blocked_address', 'invalid_url') then ${before} else ${error} end`;

/** The columns of an attempt, without its error, which depends on whether the lease was still held. */
const COLUMNS =
  'n, url, started_at, total_ms, http_status, response_headers, response_text, remote_address, dns_ms, connect_ms, tls_ms, first_byte_ms, signatures';

/** A successful attempt changes nothing of the endpoint `e`: the row `r` was sent to its URL, and there was no trouble. */
const WELL = `e.failures = 0 and e.open_until is null and e.state = 'active' and not e.in_trouble and ${URL_OF_ENDPOINT} = r.url`;

/**
 * $1: the attempts; $2: now; $3, $4: the type and the actor of their events. A row with an event changes nothing but its
 * delivery: it is recorded completely if its lease is held and its endpoint is well, and otherwise not at all. Any other
 * row is recorded either way, as `lease_lost` where it was, and the caller appends its event, with the `next_at` that is returned.
 */
const RECORD = planned(`
  with r as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, token uuid, project_id uuid, endpoint_id uuid, item_id uuid, status text,
      wait_ms float8, uncounted boolean, error text, event_id uuid, data jsonb, n int, url text, started_at timestamptz,
      total_ms float8, http_status int, response_headers text, response_text text, remote_address text, dns_ms float8,
      connect_ms float8, tls_ms float8, first_byte_ms float8, signatures smallint)
  ), finished as (
    update delivery d set status = r.status, next_attempt_at = now() + make_interval(secs => r.wait_ms / 1000), claim_token = null, lease_until = null,
      http_status = r.http_status,
      error = ${errorAfter('d.error', { error: 'r.error', uncounted: 'r.uncounted' })},
      schedule_from = case when r.uncounted then d.schedule_from + 1 else d.schedule_from end,
      completed_at = case when r.status in ('succeeded', 'dead') then now() end
    from r join webhook_endpoint e on e.id = r.endpoint_id join project p on p.id = r.project_id
    where d.id = r.id and d.id = any(array(select id from r)) and d.claim_token = r.token and ${SENDING}
      and (r.event_id is null or (${WELL}))
    returning r.token, (${WELL}) as well, d.next_attempt_at
  ), told as materialized (
    select r.*, f.token is not null as held from r left join finished f on f.token = r.token
  ), written as (
    insert into attempt (delivery_id, error, ${COLUMNS})
    select id, case when held then error else 'lease_lost' end, ${COLUMNS} from told where held or event_id is null
    on conflict (delivery_id, n) do update set error = excluded.error
  ), appended as (
    insert into event (id, project_id, type, item_id, actor, data, created_at)
    select event_id, project_id, $3, item_id, $4::jsonb, data, $2::timestamptz from told where held and event_id is not null
  ), notified as materialized (
    select pg_notify('${EVENTS_APPENDED}', $3) where exists (select 1 from told where held and event_id is not null)
  )
  select f.token, f.well, (extract(epoch from f.next_attempt_at) * 1000)::float8 as next_at from finished f, (select count(*) from notified) sent`);

/** Attempts per statement. */
const MOST = 128;

/**
 * Records attempts that end together, together; one that cannot be recorded fails alone. Successes at endpoints without
 * trouble, which are nearly all, have batches of their own: an endpoint whose row is locked holds them up nowhere.
 * Behind any other attempt of its endpoint a success takes the same way: the last result determines the state of the
 * endpoint (WH5).
 */
export function createRecorder(services: Services): (done: FinishedAttempt) => Promise<void> {
  const successes = groupsOf((done) => recordSuccesses(services, done));
  const others = groupsOf((done) => recordOthers(services, done));
  const waiting = new Map<string, number>();
  const recordOther = async (done: FinishedAttempt) => {
    const { endpointId } = done.leased;
    waiting.set(endpointId, (waiting.get(endpointId) ?? 0) + 1);
    try {
      await others.add(done);
    } finally {
      const left = (waiting.get(endpointId) ?? 0) - 1;
      if (left > 0) waiting.set(endpointId, left);
      else waiting.delete(endpointId);
    }
  };
  return async (done) => {
    const isQuiet = done.next.kind === 'succeeded' && !waiting.has(done.leased.endpointId);
    if (!isQuiet || !(await successes.add(done))) await recordOther(done);
  };
}

const groupsOf = <R>(
  record: (done: readonly FinishedAttempt[]) => Promise<readonly R[]>,
): GroupCommit<FinishedAttempt, R> =>
  new GroupCommit<FinishedAttempt, R>({
    commit: async (done) => (await record(done)).map((result) => ({ result })),
    meetsAll: (error) => error instanceof DatabaseGone,
    weigh: () => 1,
    maxWeight: MOST,
    maxEntries: MOST,
    // One after another: the last result determines the state of an endpoint (WH5).
    concurrency: 1,
    laterMs: 0,
  });

/**
 * Successes at endpoints without trouble change no endpoint: the statement alone is their transaction. Returns for each, in
 * order, whether it was recorded; nothing has changed of one that was not.
 */
async function recordSuccesses(
  { db, clock, ids }: Services,
  done: readonly FinishedAttempt[],
): Promise<readonly boolean[]> {
  const rows = done.map((each) => ({ ...toRow(each), ...eventColumns(each, ids.uuid()) }));
  const recorded = await db.statement((em) => execute(em, rows, clock.now()));
  return done.map(({ leased }) => recorded.has(leased.claimToken));
}

/** Any other attempt is recorded by the same statement, together with what follows for its endpoint. */
async function recordOthers({ db, clock, log }: Services, done: readonly FinishedAttempt[]): Promise<readonly void[]> {
  const alerts = await db.write((tx) => recordWithEndpoints(tx, done, clock.now()));
  for (const alert of alerts) logAlert(log, alert);
  return done.map(() => undefined);
}

async function recordWithEndpoints(tx: Tx, done: readonly FinishedAttempt[], now: Date): Promise<readonly Alert[]> {
  const recorded = await recordAll(tx, done, now);
  const held = done.flatMap((each, index) => {
    const { fate, nextAt } = recorded[index] ?? LOST;
    return fate === 'lost' ? [] : [{ each, fate, nextAt }];
  });
  const counted = held.map(({ each }) => each);
  const noted = new Set(held.flatMap(({ each, fate }) => (isNoted(each, fate) ? [each.leased.endpointId] : [])));
  const { alerts, waiting } = await noteEndpoints(
    tx,
    counted.filter(({ leased }) => noted.has(leased.endpointId)),
  );
  const told = new Map(alerts.map(({ deliveryId, kind }) => [deliveryId, kind]));
  for (const { each, nextAt } of held) {
    const { id } = each.leased;
    tx.appendEvent({
      ...attemptEvent(each, nextAt),
      ...(waiting.has(id) && { status: 'pending' }),
      alert: told.get(id),
    });
  }
  return alerts;
}

/** Another success of an endpoint without trouble changes nothing, so its row need not be locked. */
const isNoted = ({ next }: FinishedAttempt, fate: Fate): boolean =>
  fate === 'troubled' || (fate === 'well' && next.kind !== 'succeeded');

/**
 * `lost`: another worker held the lease, and only the attempt is recorded. `well`: its endpoint had no trouble before.
 */
type Fate = 'lost' | 'well' | 'troubled';

interface Recorded {
  fate: Fate;
  /** When the next attempt is due, by the clock of the database; null where none follows. */
  nextAt: Date | null;
}

const LOST: Recorded = { fate: 'lost', nextAt: null };

/** Records attempts and what comes next, without their events. Returns what became of each, in order. */
export async function recordAll({ em }: Tx, done: readonly FinishedAttempt[], now: Date): Promise<Recorded[]> {
  const recorded = await execute(em, done.map(toRow), now);
  return done.map(({ leased }) => recorded.get(leased.claimToken) ?? LOST);
}

interface RecordedRow {
  token: string;
  well: boolean | null;
  /** In ms since the epoch. */
  next_at: number | null;
}

/** What became of each recorded attempt, by its token. */
async function execute(em: Em, rows: readonly object[], now: Date): Promise<Map<string, Recorded>> {
  const values = [JSON.stringify(rows), now.toISOString(), ATTEMPT_EVENT.type, JSON.stringify(ATTEMPT_EVENT.actor)];
  const recorded = await rawQuery<RecordedRow>(em, RECORD, values);
  return new Map(
    recorded.map(({ token, well, next_at: nextAt }): [string, Recorded] => [
      token,
      { fate: well === true ? 'well' : 'troubled', nextAt: nextAt === null ? null : new Date(nextAt) },
    ]),
  );
}

const toRow = ({ leased, outcome, next, startedAt }: FinishedAttempt) => ({
  id: leased.id,
  token: leased.claimToken,
  project_id: leased.projectId,
  endpoint_id: leased.endpointId,
  status: STATUS_AFTER[next.kind],
  wait_ms: next.kind === 'retry' ? next.waitMs : null,
  // It has a number of its own nevertheless: the schedule starts one later (WH7).
  uncounted: next.kind === 'retry' && next.uncounted === true,
  error: outcome.error,
  n: leased.attempt,
  url: leased.url,
  started_at: startedAt,
  total_ms: outcome.totalMs,
  http_status: outcome.httpStatus,
  response_headers: outcome.responseHeaders && JSON.stringify(outcome.responseHeaders),
  response_text: outcome.responseText,
  remote_address: outcome.remoteAddress,
  dns_ms: outcome.timings.dnsMs,
  connect_ms: outcome.timings.connectMs,
  tls_ms: outcome.timings.tlsMs,
  first_byte_ms: outcome.timings.firstByteMs,
  signatures: outcome.signatures,
});

function eventColumns(done: FinishedAttempt, id: string) {
  const { item_id, data } = toEventRow(attemptEvent(done, null), id);
  return { event_id: id, item_id, data };
}

/** The common fields of all attempt events. */
const ATTEMPT_EVENT = { type: 'delivery.changed', actor: SYSTEM } as const;

/** The event for the end of an attempt. `nextAt` as the row has it, so that an event and a fresh page show the same time. */
const attemptEvent = ({ leased, outcome, next }: FinishedAttempt, nextAt: Date | null) => ({
  ...ATTEMPT_EVENT,
  project_id: leased.projectId,
  delivery_id: leased.id,
  item_id: leased.itemId,
  status: STATUS_AFTER[next.kind],
  attempt: leased.attempt,
  http_status: outcome.httpStatus,
  error: outcome.error,
  next_attempt_at: nextAt === null ? null : nextAt.toISOString(),
});
