// The state of endpoints: results of recent attempts, pauses, and what owners were notified of (WH3, WH5, WH6).
import type { Logger } from 'pino';
import type { WebhookAlertKind } from '@countersign/shared/enums';
import type { Tx } from '../db/database.ts';
import { endpointOf, storedEndpoint, URL_OF_ENDPOINT } from '../db/endpoint-columns.ts';
import { afterFailure, type AlertState, circuitEffect, healthSignalOf, nextAlert } from '../domain/webhooks/health.ts';
import type { Outcome } from '../domain/webhooks/retry.ts';
import type { FinishedAttempt, Leased } from './lease.ts';

type Ended = Pick<FinishedAttempt, 'leased' | 'outcome' | 'next'>;

/** What follows from the results of attempts at their endpoints. */
export interface EndpointChanges {
  alerts: readonly Alert[];
  /** The IDs of deliveries that are pending for the current URL again. */
  waiting: ReadonlySet<string>;
}

/**
 * Applies the results of attempts in the given order: health (WH5), and the pause of an endpoint that responded with
 * 410 (WH3). A result for a URL that is no longer the endpoint's does not affect the current one. Returns the alerts for
 * owners (WH6), already written under the lock of the rows, so that one of any number of workers notifies; and the
 * deliveries that wait for the current URL, because a previous one responded with 410.
 */
export async function noteEndpoints(tx: Tx, ended: readonly Ended[]): Promise<EndpointChanges> {
  if (ended.length === 0) return { alerts: [], waiting: new Set() };
  const held = await lockEndpoints(
    tx,
    ended.map(({ leased }) => leased.endpointId),
  );
  const wentToCurrentUrl = ({ leased }: Ended) => held.get(leased.endpointId)?.url === leased.url;
  const counted = ended.filter(wentToCurrentUrl);
  const well: string[] = [];
  for (const [endpointId, its] of byEndpoint(counted)) {
    if (its.every(({ outcome }) => healthSignalOf(outcome) === 'alive')) well.push(endpointId);
    else for (const { leased, outcome } of its) await noteOne(tx, leased, outcome);
    if (its.some(({ next }) => next.kind === 'pause')) await pauseEndpoint(tx, endpointId);
  }
  if (well.length > 0) await resetFailures(tx, well);
  // Last, because an endpoint that was just paused has no pending deliveries.
  const waiting = await waitOn(
    tx,
    ended.filter((each) => each.next.kind === 'pause' && !wentToCurrentUrl(each)),
  );
  // An exhausted delivery counts, whichever URL its last attempt went to.
  const alerting = ended.filter((each) => wentToCurrentUrl(each) || each.next.kind === 'dead');
  const alerts = [...byEndpoint(alerting)].flatMap(([endpointId, its]) => {
    const endpoint = held.get(endpointId);
    return endpoint === undefined ? [] : alertsOf(endpoint, its);
  });
  await writeAlerts(tx, alerts);
  return { alerts, waiting };
}

const byEndpoint = (ended: readonly Ended[]) => Map.groupBy(ended, ({ leased }) => leased.endpointId);

/**
 * Deliveries for a previous URL that responded with 410 wait for the current one, like all others of the endpoint.
 * Returns which ones do.
 */
async function waitOn({ em }: Tx, paused: readonly Ended[]): Promise<ReadonlySet<string>> {
  if (paused.length === 0) return new Set();
  const rows = await em.execute<{ id: string }[]>(
    `update delivery d set status = 'pending', next_attempt_at = now() from webhook_endpoint e
     where d.id = any(?::uuid[]) and d.status = 'paused' and e.id = ${endpointOf('d')} and e.state = 'active'
     returning d.id`,
    [`{${paused.map(({ leased }) => leased.id).join(',')}}`],
  );
  return new Set(rows.map(({ id }) => id));
}

interface Held extends AlertState {
  url: string | null;
}

/**
 * Locks endpoints in a fixed order, so that two workers never deadlock. Returns the URL of each and its notified state,
 * read after locking because an owner may have changed them.
 */
async function lockEndpoints({ em }: Tx, endpointIds: readonly string[]): Promise<Map<string, Held>> {
  const ids = `{${endpointIds.join(',')}}`;
  await em.execute('select 1 from webhook_endpoint where id = any(?::uuid[]) order by id for update', [ids]);
  const rows = await em.execute<(Held & { id: string })[]>(
    `select e.id, ${URL_OF_ENDPOINT} as url, e.state = 'paused' as paused, e.in_trouble as "inTrouble",
       extract(epoch from clock_timestamp() - e.alerted_at)::double precision as "secondsAgo"
     from webhook_endpoint e join project p on p.id = e.project_id
     where e.id = any(?::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function noteOne(tx: Tx, { endpointId, probe }: Leased, outcome: Outcome): Promise<void> {
  const effect = circuitEffect(outcome, probe);
  if (effect === 'close') await resetFailures(tx, [endpointId]);
  else if (effect === 'count') await noteFailure(tx, { endpointId, probe });
}

/** These endpoints respond: resets their failure counts. Endpoints without failures are not updated. */
async function resetFailures({ em }: Tx, endpointIds: readonly string[]): Promise<void> {
  await em.execute(
    `update webhook_endpoint set failures = 0, openings = 0, open_until = null
     where id = any(?::uuid[]) and (failures > 0 or open_until is not null)`,
    [`{${endpointIds.join(',')}}`],
  );
}

async function noteFailure({ em }: Tx, { endpointId, probe }: { endpointId: string; probe: boolean }): Promise<void> {
  const [row] = await em.execute<{ failures: number; openings: number; resting: boolean }[]>(
    `select failures, openings, open_until is not null as resting from webhook_endpoint where id = ?`,
    [endpointId],
  );
  if (row === undefined) return;
  const next = afterFailure(row, { probe, resting: row.resting, jitter: Math.random() });
  await em.execute(
    `update webhook_endpoint set failures = ?, openings = ?,
       open_until = coalesce(now() + make_interval(secs => ?::double precision), open_until) where id = ?`,
    [next.failures, next.openings, next.restSeconds, endpointId],
  );
}

/** The endpoint responded with 410 (WH3): all its deliveries wait until an owner saves its URL again. */
export async function pauseEndpoint({ em }: Tx, endpointId: string): Promise<void> {
  await em.execute(`update webhook_endpoint set state = 'paused' where id = ?`, [endpointId]);
  await em.execute(`update delivery d set status = 'paused' where ${endpointOf('d')} = ? and d.status = 'pending'`, [
    endpointId,
  ]);
}

export interface Alert {
  projectId: string;
  endpointId: string;
  kind: WebhookAlertKind;
  /** The delivery of the attempt. */
  deliveryId: string;
  /** The attempts of that delivery since its last replay. */
  attempts: number;
  httpStatus: number | null;
  error: string | null;
}

/**
 * The alerts that these attempts at one endpoint cause for the owners of its project, in the given order. `state` is what they
 * were notified of before.
 */
function alertsOf(state: AlertState, ended: readonly Pick<FinishedAttempt, 'leased' | 'outcome' | 'next'>[]): Alert[] {
  const alerts: Alert[] = [];
  let known = state;
  for (const { leased, outcome, next } of ended) {
    const { alert: kind, state: after } = nextAlert(known, next.kind);
    known = after;
    if (kind === null) continue;
    const { id: deliveryId, projectId, endpointId, attempt, scheduleFrom } = leased;
    const { httpStatus, error } = outcome;
    alerts.push({ projectId, endpointId, kind, deliveryId, attempts: attempt - scheduleFrom, httpStatus, error });
  }
  return alerts;
}

/** Two alerts of one project never share a millisecond, so that seeing one does not mark the other as seen. */
const WRITE = `
  insert into webhook_alert (id, project_id, endpoint_id, kind, delivery_id, attempts, http_status, error, created_at)
  select gen_random_uuid(), p.id, ?, ?, ?, ?, ?, ?, greatest(clock_timestamp(),
    (select max(created_at) + interval '1 ms' from webhook_alert where project_id = p.id))
  from project p where p.id = ?`;

/** Writes the alerts, and that owners were notified. The endpoints' rows must be locked. */
async function writeAlerts({ em }: Tx, alerts: readonly Alert[]): Promise<void> {
  for (const alert of alerts) {
    const { projectId, endpointId, kind, deliveryId, attempts, httpStatus, error } = alert;
    await em.execute(WRITE, [storedEndpoint(alert), kind, deliveryId, attempts, httpStatus, error, projectId]);
    await em.execute(
      `update webhook_endpoint set in_trouble = ?, alerted_at = case when ? then clock_timestamp() else alerted_at end
       where id = ?`,
      [kind !== 'recovered', kind === 'exhausted', endpointId],
    );
  }
}

const LOG_MESSAGES = {
  exhausted: ['warn', 'a delivery failed permanently'],
  paused: ['warn', 'a webhook is paused: its receiver responded with 410'],
  recovered: ['info', 'a webhook works again'],
} as const satisfies Record<WebhookAlertKind, readonly ['warn' | 'info', string]>;

/** One log line for the operator, as a basis for their own alerts. */
export function logAlert(log: Logger, { projectId, endpointId, kind, deliveryId, httpStatus, error }: Alert): void {
  const [level, message] = LOG_MESSAGES[kind];
  log[level](
    { project: projectId, endpoint: endpointId, alert: kind, delivery: deliveryId, http_status: httpStatus, error },
    message,
  );
}
