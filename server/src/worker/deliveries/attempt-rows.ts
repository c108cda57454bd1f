// Records the results of attempts, for any number of deliveries at once: fenced by the lease, never across HTTP.
import type { Tx } from '../../db/database.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { SYSTEM } from '../../domain/access/actor.ts';
import type { NextStep } from '../../domain/webhooks/retry.ts';
import type { Dispatched } from '../../domain/webhooks/webhook-attempt.ts';
import type { Leased } from './delivery-rows.ts';

/** The status of a delivery after the step. */
const STATUS_AFTER = {
  succeeded: 'succeeded',
  retry: 'pending',
  dead: 'dead',
  pause: 'paused',
} as const satisfies Record<NextStep['kind'], string>;

/** A finished attempt and what follows it. */
export interface Done {
  leased: Leased;
  outcome: Dispatched;
  next: NextStep;
  startedAt: Date;
}

/** The columns of `attemptRow` about the attempt itself, and the same with their types. */
export const ATTEMPT_COLUMNS =
  'n, url, started_at, total_ms, http_status, response_headers, response_text, remote_address, dns_ms, connect_ms, tls_ms, first_byte_ms, signatures';
export const ATTEMPT_RECORD = `n int, url text, started_at timestamptz, total_ms float8, http_status int, response_headers text,
  response_text text, remote_address text, dns_ms float8, connect_ms float8, tls_ms float8, first_byte_ms float8, signatures smallint`;

/** The delivery `d` is still leased as the row `r` says, and is found by its key. */
export const STILL_LEASED_BY_US = `d.id = r.id and d.id = any(array(select id from r)) and d.claim_token = r.token and d.status = 'sending'`;

/**
 * A successful attempt changes nothing of the endpoint `e` of the project `p`: the row `r` was sent to its URL, and
 * there was no trouble.
 */
export const WELL = `e.failures = 0 and e.open_until is null and e.state = 'active' and not e.in_trouble and p.webhook_url = r.url`;

/**
 * One round trip: updates the deliveries whose lease is still held, inserts every attempt (`lease_lost` where it was
 * lost), and reads which endpoints a successful attempt changes.
 */
const FINISH = planned(`
  with r as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, token uuid, status text, next_at timestamptz, uncounted boolean,
      error text, ${ATTEMPT_RECORD})
  ), finished as (
    update delivery d set status = r.status, next_attempt_at = r.next_at, claim_token = null, lease_until = null,
      http_status = r.http_status,
      error = case when r.uncounted and d.error in ('blocked_address', 'invalid_url') then d.error else r.error end,
      schedule_from = case when r.uncounted then d.schedule_from + 1 else d.schedule_from end,
      completed_at = case when r.status in ('succeeded', 'dead') then now() end
    from r where ${STILL_LEASED_BY_US}
    returning r.token, d.project_id, r.url
  ), written as (
    insert into attempt (delivery_id, error, ${ATTEMPT_COLUMNS})
    select r.id, case when exists (select 1 from finished f where f.token = r.token) then r.error else 'lease_lost' end, ${ATTEMPT_COLUMNS}
    from r on conflict (delivery_id, n) do update set error = excluded.error
  )
  select r.token, ${WELL} as well
  from finished r join webhook_endpoint e on e.project_id = r.project_id join project p on p.id = r.project_id`);

/**
 * `lost`: another worker held the lease, and only the attempt is recorded. `well`: its endpoint had no trouble before.
 */
export type Fate = 'lost' | 'well' | 'troubled';

/** Records attempts and what comes next. Returns the fate of each, in order. */
export async function finishAll({ em }: Tx, done: readonly Done[]): Promise<Fate[]> {
  const rows = await rawQuery<{ token: string; well: boolean | null }>(em, FINISH, [JSON.stringify(done.map(toRow))]);
  const fates = new Map(rows.map(({ token, well }): [string, Fate] => [token, well === true ? 'well' : 'troubled']));
  return done.map(({ leased }) => fates.get(leased.claimToken) ?? 'lost');
}

const toRow = (done: Done) => ({
  status: STATUS_AFTER[done.next.kind],
  next_at: done.next.kind === 'retry' ? done.next.at : null,
  // It has a number of its own nevertheless: the schedule starts one later (WH7).
  uncounted: done.next.kind === 'retry' && done.next.uncounted === true,
  error: done.outcome.error,
  ...attemptRow(done),
});

/** The lease and the result of the attempt, without its error, which depends on whether the lease was still held. */
export const attemptRow = ({ leased, outcome, startedAt }: Omit<Done, 'next'>) => ({
  id: leased.id,
  token: leased.claimToken,
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

/** The common fields of all attempt events. */
export const ATTEMPT_EVENT = { type: 'delivery.changed', actor: SYSTEM } as const;

/** The event for the end of an attempt. */
export const attemptEvent = ({ leased, outcome, next }: Done) => ({
  ...ATTEMPT_EVENT,
  project_id: leased.projectId,
  delivery_id: leased.id,
  item_id: leased.itemId,
  status: STATUS_AFTER[next.kind],
  attempt: leased.attempt,
  http_status: outcome.httpStatus,
  error: outcome.error,
  next_attempt_at: next.kind === 'retry' ? next.at.toISOString() : null,
});
