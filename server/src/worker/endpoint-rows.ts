// What the endpoints' own rows say about sending: who may be sent to now, and how the last attempts went (WH3, WH5).
import type { Tx } from '../db/database.ts';
import { afterTrouble, signOf } from '../domain/endpoint-health.ts';
import type { Outcome } from '../domain/webhook-attempt.ts';
import { type Done, FIRST_OF_ITEM, type Leased, type Room, SLOTS_WHEN_FAILING } from './delivery-rows.ts';

/** Longer than the one attempt takes: when its worker dies, the next is let through after this. */
const PROBE_SECONDS = 25;

/**
 * Lets one attempt through to each endpoint whose rest is over and that has something due, as far as there is room for it. Of any
 * number of workers one gets it.
 * @returns the projects that this worker may send one delivery to.
 */
export async function takeProbes({ em }: Tx, room: Room): Promise<string[]> {
  const full = [...room.inFlight].filter(([, count]) => count >= SLOTS_WHEN_FAILING).map(([projectId]) => projectId);
  const rows = await em.execute<{ project_id: string }[]>(
    `update webhook_endpoint set open_until = now() + interval '${PROBE_SECONDS} s' where project_id in (
       select e.project_id from webhook_endpoint e
       where e.open_until <= now() and e.state = 'active' and not e.project_id = any(?::uuid[]) and exists (
         select 1 from delivery x join project p on p.id = x.project_id
         where x.project_id = e.project_id and p.webhook_url is not null and x.next_attempt_at <= now()
           and (x.status = 'pending' or (x.status = 'sending' and x.lease_until < now())) and ${FIRST_OF_ITEM})
       order by e.project_id limit ? for update of e skip locked)
     returning project_id`,
    [`{${full.join(',')}}`, room.limit],
  );
  return rows.map((row) => row.project_id);
}

type Ended = Pick<Done, 'leased' | 'outcome' | 'next'>;

/**
 * Takes in how attempts went, in the order given: health (WH5), and the pause of an endpoint that said it is gone (WH3). What was
 * sent to a URL that is no longer the project's says nothing of the one that is.
 */
export async function noteEndpoints(tx: Tx, ended: readonly Ended[]): Promise<void> {
  const urls = await holdEndpoints(
    tx,
    ended.map(({ leased }) => leased.projectId),
  );
  const counted = ended.filter(({ leased }) => urls.get(leased.projectId) === leased.url);
  const well: string[] = [];
  for (const [projectId, its] of Map.groupBy(counted, ({ leased }) => leased.projectId)) {
    if (its.every(({ outcome }) => signOf(outcome) === 'alive')) well.push(projectId);
    else for (const { leased, outcome } of its) await noteOne(tx, leased, outcome);
    if (its.some(({ next }) => next.kind === 'pause')) await pauseEndpoint(tx, projectId);
  }
  if (well.length > 0) await wellAgain(tx, well);
}

/** Locks them in one order, so that two workers never wait for each other. Answers where each project's webhooks go now. */
async function holdEndpoints({ em }: Tx, projectIds: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await em.execute<{ project_id: string; url: string | null }[]>(
    `select e.project_id, p.webhook_url as url from webhook_endpoint e join project p on p.id = e.project_id
     where e.project_id = any(?::uuid[]) order by e.project_id for update of e`,
    [`{${projectIds.join(',')}}`],
  );
  return new Map(rows.map((row) => [row.project_id, row.url]));
}

async function noteOne(tx: Tx, { projectId, probe }: Leased, outcome: Outcome): Promise<void> {
  const sign = signOf(outcome);
  if (sign === 'alive') await wellAgain(tx, [projectId]);
  // An attempt that says nothing must not keep the way shut: as the one let through it counts as failed.
  else if (sign === 'trouble' || probe) await noteTrouble(tx, { projectId, probe });
}

/** They answer: their failures are forgotten. What was well already is not touched. */
async function wellAgain({ em }: Tx, projectIds: readonly string[]): Promise<void> {
  await em.execute(
    `update webhook_endpoint set failures = 0, openings = 0, open_until = null
     where project_id = any(?::uuid[]) and (failures > 0 or open_until is not null)`,
    [`{${projectIds.join(',')}}`],
  );
}

async function noteTrouble({ em }: Tx, { projectId, probe }: { projectId: string; probe: boolean }): Promise<void> {
  const [row] = await em.execute<{ failures: number; openings: number; resting: boolean }[]>(
    `select failures, openings, open_until is not null as resting from webhook_endpoint where project_id = ?`,
    [projectId],
  );
  if (row === undefined) return;
  const next = afterTrouble(row, { probe, resting: row.resting, jitter: Math.random() });
  await em.execute(
    `update webhook_endpoint set failures = ?, openings = ?,
       open_until = coalesce(now() + make_interval(secs => ?::double precision), open_until) where project_id = ?`,
    [next.failures, next.openings, next.restSeconds, projectId],
  );
}

/** The endpoint said it is gone (WH3): everything of the project waits until its owner saves the URL again. */
export async function pauseEndpoint({ em }: Tx, projectId: string): Promise<void> {
  await em.execute(`update webhook_endpoint set state = 'paused' where project_id = ?`, [projectId]);
  await em.execute(`update delivery set status = 'paused' where project_id = ? and status = 'pending'`, [projectId]);
}
