// The state of endpoints for delivery: the results of recent attempts, and what owners were notified of (WH3, WH5,
// WH6).
import type { Tx } from '../../db/database.ts';
import { afterFailure, healthSignalOf } from '../../domain/webhooks/endpoint-health.ts';
import type { AlertState } from '../../domain/webhooks/webhook-alert.ts';
import type { Outcome } from '../../domain/webhooks/webhook-attempt.ts';
import { type Alert, alertsOf, writeAlerts } from './alert-rows.ts';
import type { Leased } from './delivery-rows.ts';
import type { Done } from './attempt-rows.ts';

type Ended = Pick<Done, 'leased' | 'outcome' | 'next'>;

export interface Noted {
  alerts: readonly Alert[];
  waiting: ReadonlySet<string>;
}

/**
 * Applies the results of attempts in the given order: health (WH5), and the pause of an endpoint that responded with
 * 410 (WH3). A result for a URL that is no longer the project's does not affect the current one. @returns the resulting
 * alerts for owners (WH6), already written: the rows are locked, so that one of any number of workers notifies. And the
 * deliveries that wait for another URL after a 410.
 */
export async function noteEndpoints(tx: Tx, ended: readonly Ended[]): Promise<Noted> {
  if (ended.length === 0) return { alerts: [], waiting: new Set() };
  const held = await lockEndpoints(
    tx,
    ended.map(({ leased }) => leased.projectId),
  );
  const wentToCurrentUrl = ({ leased }: Ended) => held.get(leased.projectId)?.url === leased.url;
  const counted = ended.filter(wentToCurrentUrl);
  const well: string[] = [];
  for (const [projectId, its] of byProject(counted)) {
    if (its.every(({ outcome }) => healthSignalOf(outcome) === 'alive')) well.push(projectId);
    else for (const { leased, outcome } of its) await noteOne(tx, leased, outcome);
    if (its.some(({ next }) => next.kind === 'pause')) await pauseEndpoint(tx, projectId);
  }
  if (well.length > 0) await resetFailures(tx, well);
  // Last, because an endpoint that was just paused has no pending deliveries.
  const waiting = await waitOn(
    tx,
    ended.filter((each) => each.next.kind === 'pause' && !wentToCurrentUrl(each)),
  );
  // An exhausted delivery counts, whichever URL its last attempt went to.
  const alerting = ended.filter((each) => wentToCurrentUrl(each) || each.next.kind === 'dead');
  const alerts = [...byProject(alerting)].flatMap(([projectId, its]) => {
    const endpoint = held.get(projectId);
    return endpoint === undefined ? [] : alertsOf(endpoint, its);
  });
  await writeAlerts(tx, alerts);
  return { alerts, waiting };
}

const byProject = (ended: readonly Ended[]) => Map.groupBy(ended, ({ leased }) => leased.projectId);

/**
 * Deliveries for a previous URL that responded with 410 wait for the current one, like all others of the project.
 * Returns which ones do.
 */
async function waitOn({ em }: Tx, paused: readonly Ended[]): Promise<ReadonlySet<string>> {
  if (paused.length === 0) return new Set();
  const rows = await em.execute<{ id: string }[]>(
    `update delivery d set status = 'pending', next_attempt_at = now() from webhook_endpoint e
     where d.id = any(?::uuid[]) and d.status = 'paused' and e.project_id = d.project_id and e.state = 'active'
     returning d.id`,
    [`{${paused.map(({ leased }) => leased.id).join(',')}}`],
  );
  return new Set(rows.map(({ id }) => id));
}

interface Held extends AlertState {
  url: string | null;
}

/**
 * Locks endpoints in a fixed order, so that two workers never deadlock. Returns each project's URL and notified state,
 * read after locking because an owner may have changed them.
 */
async function lockEndpoints({ em }: Tx, projectIds: readonly string[]): Promise<Map<string, Held>> {
  const ids = `{${projectIds.join(',')}}`;
  await em.execute('select 1 from webhook_endpoint where project_id = any(?::uuid[]) order by project_id for update', [
    ids,
  ]);
  const rows = await em.execute<(Held & { projectId: string })[]>(
    `select e.project_id as "projectId", p.webhook_url as url, e.state = 'paused' as paused, e.in_trouble as "inTrouble",
       extract(epoch from clock_timestamp() - e.alerted_at)::double precision as "secondsAgo"
     from webhook_endpoint e join project p on p.id = e.project_id
     where e.project_id = any(?::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.projectId, row]));
}

async function noteOne(tx: Tx, { projectId, probe }: Leased, outcome: Outcome): Promise<void> {
  const sign = healthSignalOf(outcome);
  if (sign === 'alive') await resetFailures(tx, [projectId]);
  // A probe without a clear result must not keep the circuit open: it counts as failed. One that our own proxy lost
  // does not count (WH7): the next is let through when its time is over.
  else if (sign === 'trouble' || (probe && outcome.proxyFault === undefined))
    await noteFailure(tx, { projectId, probe });
}

/** These endpoints respond: resets their failure counts. Endpoints without failures are not updated. */
async function resetFailures({ em }: Tx, projectIds: readonly string[]): Promise<void> {
  await em.execute(
    `update webhook_endpoint set failures = 0, openings = 0, open_until = null
     where project_id = any(?::uuid[]) and (failures > 0 or open_until is not null)`,
    [`{${projectIds.join(',')}}`],
  );
}

async function noteFailure({ em }: Tx, { projectId, probe }: { projectId: string; probe: boolean }): Promise<void> {
  const [row] = await em.execute<{ failures: number; openings: number; resting: boolean }[]>(
    `select failures, openings, open_until is not null as resting from webhook_endpoint where project_id = ?`,
    [projectId],
  );
  if (row === undefined) return;
  const next = afterFailure(row, { probe, resting: row.resting, jitter: Math.random() });
  await em.execute(
    `update webhook_endpoint set failures = ?, openings = ?,
       open_until = coalesce(now() + make_interval(secs => ?::double precision), open_until) where project_id = ?`,
    [next.failures, next.openings, next.restSeconds, projectId],
  );
}

/** The endpoint responded with 410 (WH3): all deliveries of the project wait until its owner saves the URL again. */
export async function pauseEndpoint({ em }: Tx, projectId: string): Promise<void> {
  await em.execute(`update webhook_endpoint set state = 'paused' where project_id = ?`, [projectId]);
  await em.execute(`update delivery set status = 'paused' where project_id = ? and status = 'pending'`, [projectId]);
}
