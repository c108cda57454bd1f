// What came of attempts, written down for any number of deliveries at once: fenced by the lease, never across HTTP.
import type { Tx } from '../../db/database.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { SYSTEM } from '../../domain/access/actor.ts';
import type { NextStep } from '../../domain/webhooks/retry.ts';
import type { Dispatched } from '../../domain/webhooks/webhook-attempt.ts';
import type { Leased } from './delivery-rows.ts';

/** A delivery's status after the step. */
const STATUS_AFTER = {
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

/** What `attemptRow` says of the attempt itself: the columns, and the same with their types. */
export const ATTEMPT_COLUMNS =
  'n, url, started_at, total_ms, http_status, response_headers, response_text, remote_address, dns_ms, connect_ms, tls_ms, first_byte_ms, signatures';
export const ATTEMPT_RECORD = `n int, url text, started_at timestamptz, total_ms float8, http_status int, response_headers text,
  response_text text, remote_address text, dns_ms float8, connect_ms float8, tls_ms float8, first_byte_ms float8, signatures smallint`;

/** The delivery `d` is still leased as the row `r` says, and is looked for by its key. */
export const STILL_LEASED_BY_US = `d.id = r.id and d.id = any(array(select id from r)) and d.claim_token = r.token and d.status = 'sending'`;

/** An attempt that went well changes nothing of the endpoint `e` of the project `p`: the row `r` went there, and there was no trouble. */
export const WELL = `e.failures = 0 and e.open_until is null and e.state = 'active' and not e.in_trouble and p.webhook_url = r.url`;

/**
 * One round trip: the deliveries of whoever still has the lease, every attempt (`lease_lost` where it was lost), and of the endpoints
 * whether there is anything to be noted when an attempt went well.
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

/** `lost`: its lease was somebody else's by then, and only the attempt is kept. `well`: its endpoint had no trouble before. */
export type Fate = 'lost' | 'well' | 'troubled';

/** Writes attempts and what comes next. Answers the fate of each, in order. */
export async function finishAll({ em }: Tx, done: readonly Done[]): Promise<Fate[]> {
  const rows = await rawQuery<{ token: string; well: boolean | null }>(em, FINISH, [JSON.stringify(done.map(toRow))]);
  const fates = new Map(rows.map(({ token, well }): [string, Fate] => [token, well === true ? 'well' : 'troubled']));
  return done.map(({ leased }) => fates.get(leased.claimToken) ?? 'lost');
}

const toRow = (done: Done) => ({
  status: STATUS_AFTER[done.next.kind],
  next_at: done.next.kind === 'retry' ? done.next.at : null,
  // It has a number of its own all the same: the schedule begins one later (WH7).
  uncounted: done.next.kind === 'retry' && done.next.uncounted === true,
  error: done.outcome.error,
  ...attemptRow(done),
});

/** Which lease it was for, and how the attempt itself went: without its error, which depends on whether the lease held. */
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

/** What the facts of all ends have in common. */
export const ATTEMPT_EVENT = { type: 'delivery.changed', actor: SYSTEM } as const;

/** The fact that an attempt ended so. */
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
