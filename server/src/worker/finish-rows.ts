// What came of attempts, written down for any number of deliveries at once: fenced by the lease, never across HTTP.
import type { Tx } from '../db/database.ts';
import { planned } from '../db/planned.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { NextStep } from '../domain/retry.ts';
import type { Dispatched } from '../domain/webhook-attempt.ts';
import type { Leased } from './delivery-rows.ts';

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
  outcome: Dispatched;
  next: NextStep;
  startedAt: Date;
}

const ATTEMPT_COLUMNS =
  'n, url, started_at, total_ms, http_status, response_headers, response_text, remote_address, dns_ms, connect_ms, tls_ms, first_byte_ms, signatures';

/**
 * One round trip: the deliveries of whoever still has the lease, every attempt (`lease_lost` where it was lost), and of the endpoints
 * whether there is anything to be noted when an attempt went well.
 */
const FINISH = planned(`
  with r as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, token uuid, status text, next_at timestamptz, uncounted boolean,
      error text, n int, url text, started_at timestamptz, total_ms float8, http_status int, response_headers text,
      response_text text, remote_address text, dns_ms float8, connect_ms float8, tls_ms float8, first_byte_ms float8,
      signatures smallint)
  ), finished as (
    update delivery d set status = r.status, next_attempt_at = r.next_at, claim_token = null, lease_until = null,
      http_status = r.http_status,
      error = case when r.uncounted and d.error in ('blocked_address', 'invalid_url') then d.error else r.error end,
      schedule_from = case when r.uncounted then d.schedule_from + 1 else d.schedule_from end,
      completed_at = case when r.status in ('succeeded', 'dead') then now() end
    from r where d.id = r.id and d.id = any(array(select id from r)) and d.claim_token = r.token and d.status = 'sending'
    returning r.token, d.project_id, r.url
  ), written as (
    insert into attempt (delivery_id, error, ${ATTEMPT_COLUMNS})
    select r.id, case when exists (select 1 from finished f where f.token = r.token) then r.error else 'lease_lost' end, ${ATTEMPT_COLUMNS}
    from r on conflict (delivery_id, n) do update set error = excluded.error
  )
  select f.token, e.failures = 0 and e.open_until is null and e.state = 'active' and not e.in_trouble and p.webhook_url = f.url as well
  from finished f join webhook_endpoint e on e.project_id = f.project_id join project p on p.id = f.project_id`);

/** `lost`: its lease was somebody else's by then, and only the attempt is kept. `well`: its endpoint had no trouble before. */
export type Fate = 'lost' | 'well' | 'troubled';

/** Writes attempts and what comes next. Answers the fate of each, in order. */
export async function finishAll({ em }: Tx, done: readonly Done[]): Promise<Fate[]> {
  const rows = await rawQuery<{ token: string; well: boolean | null }>(em, FINISH, [JSON.stringify(done.map(toRow))]);
  const fates = new Map(rows.map(({ token, well }): [string, Fate] => [token, well === true ? 'well' : 'troubled']));
  return done.map(({ leased }) => fates.get(leased.claimToken) ?? 'lost');
}

const toRow = ({ leased, outcome, next, startedAt }: Done) => ({
  id: leased.id,
  token: leased.claimToken,
  status: STATUS_AFTER[next.kind],
  next_at: next.kind === 'retry' ? next.at : null,
  // It has a number of its own all the same: the schedule begins one later (WH7).
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
