// The span of an export: its last event log position, and for a cluster the reasons in it at the start (LX2, LX6).
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import { Refusal } from '@countersign/shared/errors';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { notFound } from '../access/membership.ts';
import { treeOf } from './cluster-roots.ts';
import type { Span } from './export-rows.ts';

/**
 * Up to the requested position, at most the end of the event log. Errors:
 * `not_found`, `validation_failed` for a cluster that was changed since.
 */
export async function spanOf(em: Em, projectId: string, filter: ExportFilter): Promise<Span> {
  const [row] = await rawQuery<{ seq: string | number }>(em, 'select event_seq as seq from project where id = $1', [
    projectId,
  ]);
  const through = Math.min(filter.through ?? Infinity, Number(row?.seq ?? 0));
  const reasons = filter.cluster === undefined ? null : await reasonsOf(em, projectId, filter.cluster);
  // In this order, so that a change of the cluster in between is detected.
  if (filter.cluster !== undefined && filter.through !== undefined)
    await refuseReshaped(em, projectId, { cluster: filter.cluster, through });
  return { projectId, filter, reasons, after: 0, through };
}

async function reasonsOf(em: Em, projectId: string, cluster: string): Promise<string[]> {
  const rows = await rawQuery<{ reason: string | null }>(
    em,
    `with recursive ${treeOf({ cluster: '$1', project: '$2' })}
     select w.reason from tree t left join wording w on w.cluster_id = t.id`,
    [cluster, projectId],
  );
  if (rows.length === 0) throw notFound();
  return rows.flatMap(({ reason }) => reason ?? []);
}

/**
 * An unsequenced event comes after every cut-off. A reason that was placed late matters where its learnings were final before.
 */
async function refuseReshaped(
  em: Em,
  projectId: string,
  { cluster, through }: { cluster: string; through: number },
): Promise<void> {
  const since = await rawQuery(
    em,
    `select 1 from event where project_id = $1 and type = 'project.changed' and data -> 'reshaped' is not null
       and jsonb_exists(data -> 'reshaped', $2) and (seq is null or seq > $3)
       and (data -> 'placed_from' is null or (data ->> 'placed_from')::bigint <= $3) limit 1`,
    [projectId, cluster, through],
  );
  if (since.length === 0) return;
  const detail =
    'The reasons of this cluster were reorganized after this cut-off, so the export would differ. Start a new export, without through and skip.';
  throw new Refusal('validation_failed', detail, {
    errors: [{ pointer: '#/query/through', code: 'reshaped', detail }],
  });
}
