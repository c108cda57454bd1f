// Supervisors rename, merge, split and restore clusters (CT3), and exclude learnings from exports and counts (LX5).
import type { ClusterChange } from '@countersign/shared/schemas/clusters';
import { Refusal } from '@countersign/shared/errors';
import { withAncestors } from '../../db/learnings/cluster-tree.ts';
import type { Tx } from '../../db/database.ts';
import { Cluster } from '../../db/entities/cluster.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { notFound, requireChange } from '../access/membership.ts';
import { lockClusters } from '../../db/learnings/assign-cluster.ts';
import { commonestReasons, rootsOf } from './cluster-roots.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { type Change, recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';
import { Learning } from '../../db/entities/learning.ts';

export interface ShapeInput {
  projectId: string;
  clusterId: string;
  change: ClusterChange;
}

/** The resulting cluster, and its change log entry. */
interface Shaped {
  id: string;
  log: Pick<Change, 'action' | 'subject' | 'before' | 'after'>;
  /** Clusters whose reasons have changed, without those they are merged into. */
  reshaped?: string[];
}

interface Shaping {
  services: Pick<Services, 'clock' | 'ids'>;
  tx: Tx;
  cluster: Cluster;
}

/** Errors: `not_found`, `forbidden`, `validation_failed` for a change that this cluster does not allow now. */
export async function shapeCluster(services: Services, actor: MemberActor, input: ShapeInput): Promise<{ id: string }> {
  const { projectId, clusterId, change } = input;
  return services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'shape_clusters');
    await lockClusters(tx.em, projectId);
    const cluster = await tx.em.findOne(Cluster, { id: clusterId, projectId });
    if (cluster === null) throw notFound();
    const { id, log, reshaped } = await shape({ services, tx, cluster }, change);
    // Exports of a cluster can be continued only while its reasons are unchanged (LX6).
    const event = reshaped && { reshaped: await withAncestors(tx.em, reshaped) };
    const what = { projectId, changed: ['clusters' as const], subjectId: id };
    if (log !== null)
      await recordChange(services, { tx, by: memberRef(actor) }, { ...what, ...log, ...(event && { event }) });
    return { id };
  });
}

/** The result when nothing changed. */
interface Unchanged {
  id: string;
  log: null;
  reshaped?: never;
}

/** Applies one change. */
function shape(shaping: Shaping, change: ClusterChange): Promise<Shaped | Unchanged> {
  switch (change.action) {
    case 'rename':
      return rename(shaping, change.name);
    case 'merge':
      return merge(shaping, change.into);
    case 'split':
      return split(shaping, change);
    case 'restore':
      return restore(shaping);
  }
}

async function rename({ tx, cluster }: Shaping, name: string | null): Promise<Shaped | Unchanged> {
  const { id } = cluster;
  if (cluster.name === name) return { id, log: null };
  const before = await nameOf(tx, cluster);
  await tx.em.nativeUpdate(Cluster, { id }, { name });
  const after = await nameOf(tx, { id, name });
  return { id, log: { action: 'cluster.renamed', subject: after, before: { name: before }, after: { name: after } } };
}

async function merge({ tx, cluster }: Shaping, into: string): Promise<Shaped> {
  const { id, projectId } = cluster;
  refuseMerged(cluster, '#/action');
  if (into === id) throw refusal('#/into', 'A cluster cannot be merged into itself. Choose another one.');
  const target = await tx.em.findOne(Cluster, { id: into, projectId });
  if (target === null) throw refusal('#/into', 'There is no such cluster in this project.');
  refuseMerged(target, '#/into');
  await tx.em.nativeUpdate(Cluster, { id }, { mergedInto: into });
  const subject = await nameOf(tx, cluster);
  const after = { into: await nameOf(tx, target) };
  return { id: into, log: { action: 'cluster.merged', subject, after }, reshaped: [into] };
}

/** Reasons of a merged cluster can be split off too; they are then placed by hand. */
async function split(
  { services, tx, cluster }: Shaping,
  { reasons, name = null }: { reasons: readonly string[]; name?: string | undefined | null },
): Promise<Shaped> {
  const { projectId } = cluster;
  refuseMerged(cluster, '#/action');
  const here = await rawQuery<{ id: string; reason: string; cluster_id: string }>(
    tx.em,
    `with recursive ${rootsOf('$1')} select w.id, w.reason, w.cluster_id from wording w join root r on r.id = w.cluster_id
     where w.project_id = $1 and r.root = $2`,
    [projectId, cluster.id],
  );
  const wanted = new Set(reasons);
  const chosen = here.filter(({ reason }) => wanted.has(reason));
  if (chosen.length < wanted.size) throw refusal('#/reasons', 'Send reasons that are in this cluster.');
  const left = new Set(here.filter(({ reason }) => !wanted.has(reason)).map(({ cluster_id }) => cluster_id));
  if (chosen.some(({ cluster_id }) => !left.has(cluster_id))) {
    throw refusal(
      '#/reasons',
      'Leave at least one reason in the cluster, and one of each merged cluster; to move all of a merged cluster, undo its merge.',
    );
  }
  const id = services.ids.uuid();
  await tx.em.insert(Cluster, { id, projectId, name, mergedInto: null, createdAt: services.clock.now() });
  await rawQuery(tx.em, 'update wording set cluster_id = $1, placed_by_hand = true where id = any($2::uuid[])', [
    id,
    `{${chosen.map((each) => each.id).join(',')}}`,
  ]);
  const after = { from: await nameOf(tx, cluster), reasons: [...wanted] };
  const log = { action: 'cluster.split', subject: await nameOf(tx, { id, name }), after } as const;
  return { id, log, reshaped: [id, ...new Set(chosen.map(({ cluster_id }) => cluster_id))] };
}

async function restore({ tx, cluster }: Shaping): Promise<Shaped> {
  const { id, mergedInto } = cluster;
  if (!mergedInto) throw refusal('#/action', 'This cluster is not merged into another one.');
  await tx.em.nativeUpdate(Cluster, { id }, { mergedInto: null });
  const subject = await nameOf(tx, cluster);
  const from = await nameOf(tx, await tx.em.findOneOrFail(Cluster, { id: mergedInto }));
  return { id, log: { action: 'cluster.restored', subject, after: { from } }, reshaped: [mergedInto] };
}

function refuseMerged({ mergedInto }: Cluster, pointer: string): void {
  if (mergedInto)
    throw refusal(pointer, 'This cluster was merged into another one. Undo the merge first, or use the other cluster.');
}

function refusal(pointer: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'not_allowed', detail }] });
}

/** The name as in the list: its own, or its most common reason. */
const nameOf = async (tx: Tx, { id, name }: Pick<Cluster, 'id' | 'name'>): Promise<string> =>
  name ?? (await commonestReasons(tx.em, [id])).get(id) ?? '';

interface ExcludeInput {
  projectId: string;
  learningId: string;
  excluded: boolean;
}

/** Errors: `not_found`, `forbidden`. */
export async function excludeLearning(
  services: Services,
  actor: MemberActor,
  { projectId, learningId, excluded }: ExcludeInput,
): Promise<{ id: string; excluded: boolean }> {
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'exclude_learnings');
    const learning = await tx.em.findOne(Learning, { id: learningId, projectId });
    if (learning === null) throw notFound();
    await markLearning(services, { tx, actor }, { learning, excluded });
  });
  return { id: learningId, excluded };
}

/** Marks a learning in the transaction of the change; nothing happens when it is marked so already. */
export async function markLearning(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  { learning, excluded }: { learning: Learning; excluded: boolean },
): Promise<void> {
  // If its decision is undone meanwhile, the learning is deleted and there is nothing left to mark.
  const marked = await tx.em.nativeUpdate(Learning, { id: learning.id, excluded: !excluded }, { excluded });
  if (marked === 0) return;
  await recordChange(
    services,
    { tx, by: memberRef(actor) },
    {
      projectId: learning.projectId,
      changed: ['learnings'],
      action: excluded ? 'learning.excluded' : 'learning.included',
      subject: learning.reason,
      subjectId: learning.id,
      event: { learning: { id: learning.id, excluded } },
    },
  );
}
