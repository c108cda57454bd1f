// Assigns the reason of an override to a cluster (CT1, CT2), in a worker, after the decision (CT4).
import type { Clock, Ids } from '../clock.ts';
import { withAncestors } from './cluster-tree.ts';
import type { Database, Tx } from '../database.ts';
import { Cluster } from '../entities/cluster.ts';
import { Project } from '../entities/project.ts';
import { ReasonVariant } from '../entities/reason-variant.ts';
import type { Em } from '../orm.ts';
import { planned } from '../connection/planned.ts';
import { appendProjectChanged } from '../record-change.ts';
import { rawQuery } from '../raw-query.ts';
import { SYSTEM } from '../../domain/access/actor.ts';
import { KEY_LENGTH, keyOf } from '@countersign/shared/formats/reason-key';
import { CLOSE } from '../../domain/learnings/reason-key.ts';

export interface ClusterServices {
  clock: Clock;
  ids: Ids;
}

interface Given {
  projectId: string;
  reason: string;
}

/** A reason that is in use, or that a supervisor assigned, stays in its cluster. */
const GIVEN = `(w.placed_by_hand or exists (select from learning l where l.project_id = w.project_id and l.reason = w.reason))`;
const KNOWN = planned(`select 1 from wording w where w.project_id = $1 and w.reason = $2 and ${GIVEN}`);
/** A reason whose overrides were all undone is assigned again. Recorded twice concurrently, it is queued once. */
const NOTE = planned(`
  insert into wording as w (id, project_id, cluster_id, reason, key, placed_by_hand, created_at) values ($3, $1, null, $2, $4, false, $5)
  on conflict (project_id, reason) do update set stood_in = coalesce(w.cluster_id, w.stood_in), cluster_id = null where not ${GIVEN}`);

/**
 * Records an unused reason in the transaction of the decision and before its learning: it belongs to no cluster until a
 * worker has assigned it. Two statements, regardless of the number of reasons.
 */
export async function noteReason(
  { clock, ids }: ClusterServices,
  { em }: Tx,
  { projectId, reason }: Given,
): Promise<void> {
  if ((await rawQuery(em, KNOWN, [projectId, reason])).length > 0) return;
  await rawQuery(em, NOTE, [projectId, reason, ids.uuid(), keyOf(reason), clock.now()]);
}

/**
 * Two transactions that assign similar reasons must see each other's result: they wait here, and so do changes of
 * clusters.
 */
export async function lockClusters(em: Em, projectId: string): Promise<void> {
  await rawQuery(em, `select pg_advisory_xact_lock(hashtextextended('clusters:' || $1, 0))`, [projectId]);
}

/** The IDs of the reason variants that have waited longest. */
export async function waitingReasons(
  em: Em,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<string[]> {
  const rows = await rawQuery<{ id: string }>(
    em,
    'select id from wording where cluster_id is null order by created_at, id limit $1 offset $2',
    [limit, offset],
  );
  return rows.map(({ id }) => id);
}

/**
 * Assigns a waiting reason variant to a cluster: that of the most similar reason, or a new one. No effect if it was
 * assigned meanwhile.
 */
export async function assignCluster({ clock, ids }: ClusterServices, tx: Tx, variantId: string): Promise<void> {
  const { em } = tx;
  const waiting = await em.findOne(ReasonVariant, { id: variantId }, { fields: ['projectId'] });
  if (waiting === null) return;
  const { projectId } = waiting;
  await lockClusters(em, projectId);
  const variant = await em.findOne(ReasonVariant, { id: variantId, clusterId: null }, { refresh: true });
  if (variant === null) return;
  const found = (await closest(em, variant)) ?? variant.formerClusterId;
  const clusterId = found ?? ids.uuid();
  if (found === null)
    await em.insert(Cluster, { id: clusterId, projectId, name: null, mergedInto: null, createdAt: clock.now() });
  const placed = await em.nativeUpdate(
    ReasonVariant,
    { id: variantId, clusterId: null },
    { clusterId, formerClusterId: null },
  );
  if (placed > 0) await appendClusterAssigned(tx, { projectId, reason: variant.reason, clusterId });
}

/** Maximum number of reasons recorded before yielding to others. */
const BATCH_SIZE = 200;

/** Records reasons of learnings from before clusters existed; a learning without a reason has no cluster (LC8). Returns whether there may be more. */
export async function noteMissingReasons(services: ClusterServices & { db: Database }): Promise<boolean> {
  const forgotten = await services.db.read((em) =>
    rawQuery<{ project_id: string; reason: string; given_at: string | Date }>(
      em,
      `select l.project_id, l.reason, min(l.created_at) as given_at from learning l
       where l.reason <> '' and not exists (select from wording w where w.project_id = l.project_id and w.reason = l.reason)
       group by 1, 2 order by min(l.created_at) limit $1`,
      [BATCH_SIZE],
    ),
  );
  // In the order of their first use: recorded at the same time, they would have no order.
  for (const { project_id: projectId, reason, given_at: givenAt } of forgotten) {
    const values = [projectId, reason, services.ids.uuid(), keyOf(reason), new Date(givenAt)];
    await services.db.write(({ em }) => rawQuery(em, NOTE, values));
  }
  return forgotten.length === BATCH_SIZE;
}

/**
 * An export up to a log position where a learning of this reason was already final may have started without the
 * assignment (LX6). If none of them has a sequence number yet, only an export that ends after the current position can
 * include it.
 */
async function appendClusterAssigned(
  tx: Tx,
  { projectId, reason, clusterId }: { projectId: string; reason: string; clusterId: string },
): Promise<void> {
  const [row] = await rawQuery<{ placed_from: string | number }>(
    tx.em,
    `select coalesce(
       (select min(e.seq) from learning l join event e on e.item_id = l.item_id and e.type = 'item.finalized'
        where l.project_id = $1 and l.reason = $2), p.event_seq + 1) as placed_from
     from project p where p.id = $1`,
    [projectId, reason],
  );
  const reshaped = await withAncestors(tx.em, [clusterId]);
  const event = { reshaped, placed_from: Number(row?.placed_from ?? 0) };
  await appendProjectChanged(tx, { projectId, changed: ['clusters'], by: SYSTEM, event });
}

/** The number of nearest reasons that are compared, whether in use or not (CT4). */
export const MOST_COMPARED = 100;

const KEY = `left(w.key, ${KEY_LENGTH})`;
/** By precedence. */
const SAME = planned(`
  select cluster_id from (select * from wording w where w.project_id = $1 and w.cluster_id is not null and ${KEY} = $2
    order by placed_by_hand desc, created_at, id limit ${MOST_COMPARED}) w where ${GIVEN}
  order by placed_by_hand desc, created_at, id limit 1`);
/** The index finds the nearest first; the more expensive measure is computed for those only. */
export const NEAREST = planned(`
  select cluster_id from
    (select w.*, greatest(similarity(near, $2), (strict_word_similarity(near, $2) + strict_word_similarity($2, near)) / 2) as close
     from (select *, ${KEY} as near from wording w where w.project_id = $1 and w.cluster_id is not null
       order by ${KEY} <-> $2 limit ${MOST_COMPARED}) w where near % $2 and ${GIVEN}) near
  where close >= $3::real order by close desc, placed_by_hand desc, created_at, id limit 1`);

/**
 * CT2: a reason of the project's own list joins only variants that differ in spelling, because the list distinguishes
 * them. Reasons whose overrides were all undone attract no others. Among equally similar ones, the one that a
 * supervisor assigned wins.
 */
async function closest(em: Em, { projectId, reason }: ReasonVariant): Promise<string | undefined> {
  const key = keyOf(reason);
  const [same] = await rawQuery<{ cluster_id: string }>(em, SAME, [projectId, key]);
  if (same !== undefined) return same.cluster_id;
  const { reasons } = await em.findOneOrFail(Project, { id: projectId }, { fields: ['reasons'] });
  if (reasons.some((each) => keyOf(each) === key)) return undefined;
  const [near] = await rawQuery<{ cluster_id: string }>(em, NEAREST, [projectId, key, CLOSE]);
  return near?.cluster_id;
}
