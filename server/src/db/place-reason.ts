// The reason of an override finds its cluster (CT1, CT2), in the decision's own transaction.
import type { Clock, Ids } from './clock.ts';
import { withWhatTheyStandIn } from './cluster-tree.ts';
import type { Database, Tx } from './database.ts';
import { Cluster } from './entities/cluster.ts';
import { Learning } from './entities/learning.ts';
import { Project } from './entities/project.ts';
import { Wording } from './entities/wording.ts';
import type { Em } from './orm.ts';
import { planned } from './planned.ts';
import { tellChange } from './log-change.ts';
import { rawQuery } from './raw-query.ts';
import { SYSTEM } from '../domain/actor.ts';
import { CLOSE, keyOf } from '../domain/wording.ts';

interface Placing {
  clock: Clock;
  ids: Ids;
}

/** A reason that is given, or that a supervisor placed, stays where it is. */
const GIVEN = `(w.placed_by_hand or exists (select from learning l where l.project_id = w.project_id and l.reason = w.reason))`;
const KNOWN = planned(`select 1 from wording w where w.project_id = $1 and w.reason = $2 and ${GIVEN}`);

/** Two transactions that bring close reasons at once must see each other's: they wait here, and whoever shapes clusters does. */
export async function holdClusters(em: Em, projectId: string): Promise<void> {
  await rawQuery(em, `select pg_advisory_xact_lock(hashtextextended('clusters:' || $1, 0))`, [projectId]);
}

/**
 * Gives a reason that nobody gives yet its cluster: the one of the closest reason, or one of its own. One whose overrides were all
 * undone finds its place anew.
 */
export async function placeReason(
  { clock, ids }: Placing,
  tx: Tx,
  { projectId, reason }: { projectId: string; reason: string },
): Promise<void> {
  const { em } = tx;
  const known = () => rawQuery(em, KNOWN, [projectId, reason]);
  if ((await known()).length > 0) return;
  await holdClusters(em, projectId);
  if ((await known()).length > 0) return;
  const [createdAt, key] = [clock.now(), keyOf(reason)];
  const before = await em.findOne(Wording, { projectId, reason });
  const found = (await closest(em, { projectId, key })) ?? before?.clusterId;
  const clusterId = found ?? ids.uuid();
  if (found === undefined)
    await em.insert(Cluster, { id: clusterId, projectId, name: null, mergedInto: null, createdAt });
  if (before !== null) return void (await em.nativeUpdate(Wording, { id: before.id }, { clusterId }));
  const id = ids.uuid();
  await em.insert(Wording, { id, projectId, clusterId, reason, key, placedByHand: false, createdAt });
  // Given before there were clusters, or by a server of an older version: they join the cluster with it.
  if ((await em.count(Learning, { projectId, reason })) > 0) await tellPlaced(tx, { projectId, clusterId });
}

/** Reasons that are placed at most before others get their turn. */
const PORTION = 200;

/**
 * Places reasons that nobody placed: given before there were clusters, or by a server of an older version that runs beside this
 * one. Answers whether there may be more.
 */
export async function placeForgotten(services: Placing & { db: Database }): Promise<boolean> {
  const forgotten = await services.db.read((em) =>
    rawQuery<{ project_id: string; reason: string }>(
      em,
      `select l.project_id, l.reason from learning l
       where not exists (select from wording w where w.project_id = l.project_id and w.reason = l.reason)
       group by 1, 2 order by min(l.created_at) limit $1`,
      [PORTION],
    ),
  );
  for (const { project_id: projectId, reason } of forgotten)
    await services.db.write((tx) => placeReason(services, tx, { projectId, reason }));
  return forgotten.length === PORTION;
}

/** Its learnings may have been final for long: a cluster that has them only now is another one to exports (LX6). */
async function tellPlaced(tx: Tx, { projectId, clusterId }: { projectId: string; clusterId: string }): Promise<void> {
  const reshaped = await withWhatTheyStandIn(tx.em, [clusterId]);
  await tellChange(tx, { projectId, changed: ['clusters'], by: SYSTEM, fact: { reshaped } });
}

/**
 * CT2: a reason of the project's own list, however it is spelt, joins only what is the same but for its spelling, because the list
 * tells them apart. Reasons whose overrides were all undone draw nobody. Of equally close ones the one that a supervisor placed counts.
 */
async function closest(em: Em, { projectId, key }: { projectId: string; key: string }): Promise<string | undefined> {
  const { reasons } = await em.findOneOrFail(Project, { id: projectId }, { fields: ['reasons'] });
  const listed = reasons.some((each) => keyOf(each) === key);
  const rows = await rawQuery<{ cluster_id: string }>(
    em,
    `select cluster_id from
       (select w.*, greatest(similarity(w.key, $2),
           (strict_word_similarity(w.key, $2) + strict_word_similarity($2, w.key)) / 2) as close
        from wording w where w.project_id = $1 and (w.key = $2 or w.key % $2) and ${GIVEN}) near
     where key = $2 or (close >= $3::real and not $4::boolean)
     order by (key = $2) desc, close desc, placed_by_hand desc, created_at, id limit 1`,
    [projectId, key, CLOSE, listed],
  );
  return rows[0]?.cluster_id;
}
