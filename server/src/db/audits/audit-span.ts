// Determines which audits count for the anytime bound (AU6): those since the last change, of the last 30 to 60 days.
import { auditStart } from '../../domain/audits/audit-start.ts';
import { type AuditSpan, MOST_AUDITS } from './audit-rows.ts';
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';
import { RETAINED_SINCE } from '../retention/retained-since.ts';

/**
 * Why audits count from a moment on: no older ones exist, an owner changed the threshold or the flags, it was raised
 * automatically, or a new model appeared.
 */
export type Began = 'time' | 'auto_threshold' | 'raised' | 'model';

export interface GuaranteeSpan extends AuditSpan {
  version: number;
  /** The same ignoring new models: audits from then on can exceed a budget, but not prove it (AU6). */
  throughModels: Date;
  began: { at: Date; why: Began; model: string | null };
}

/**
 * The count starts again when the threshold or the flags change and when a model without earlier audits appears: older
 * audits are of different answers.
 */
export async function guaranteeSpan(em: Em, projectId: string, now: Date): Promise<GuaranteeSpan> {
  const [whole] = await rawQuery<{ earliest: string | Date | null; made: string | Date }>(em, EARLIEST, [projectId]);
  const from = auditStart(now, whole?.earliest ? new Date(whole.earliest) : null);
  const [thresholdChange] = await rawQuery<{ version: number; at: string | Date; raised: boolean }>(
    em,
    LAST_THRESHOLD_CHANGE,
    [projectId],
  );
  const times = [projectId, from.toISOString(), now.toISOString()];
  const [newest] = await rawQuery<{ model: string | null; at: string | Date }>(em, NEWEST_MODEL, times);
  const made = new Date(whole?.made ?? from);
  const beginnings: GuaranteeSpan['began'][] = [{ at: made > from ? made : from, why: 'time', model: null }];
  if (thresholdChange)
    beginnings.push({
      at: new Date(thresholdChange.at),
      why: thresholdChange.raised ? 'raised' : 'auto_threshold',
      model: null,
    });
  if (newest) beginnings.push({ at: new Date(newest.at), why: 'model', model: newest.model });
  return {
    projectId,
    from: newest ? new Date(newest.at) : from,
    to: now,
    throughModels: from,
    version: thresholdChange?.version ?? 1,
    began: beginnings.reduce((last, one) => (one.at > last.at ? one : last)),
  };
}

/**
 * The earliest time after which every item exists and no more audits arrived than are read; and when the project was
 * created.
 */
const EARLIEST = `
  select nullif(greatest(${RETAINED_SINCE},
    (select created_at from item where project_id = $1 and audit order by created_at desc offset ${MOST_AUDITS - 1} limit 1)),
    '-infinity') as earliest,
    (select changed_at from project_settings where project_id = $1 and version = 1) as made`;

/** Versions without an author are the system's own. */
const LAST_THRESHOLD_CHANGE = `
  select s.version, s.changed_at as at, s.changed_by is null
    and (s.settings ->> 'auto_threshold')::float8 > (b.settings ->> 'auto_threshold')::float8 as raised
  from project_settings s join project_settings b on b.project_id = s.project_id and b.version = s.version - 1
  where s.project_id = $1 and (s.settings -> 'auto_threshold' <> b.settings -> 'auto_threshold'
    or s.settings -> 'escalate_flags' <> b.settings -> 'escalate_flags')
  order by s.version desc limit 1`;

/**
 * $2, $3: the span, which contains no more audits than are counted. The first model of a project is not new. A missing
 * name counts as a name and equals the empty one. The index finds for each model whether it is older, because there may
 * be any number of audits before the span.
 */
export const NEWEST_MODEL = `
  with seen as materialized (
    select coalesce(model, '') as name, min(created_at) as at from item
    where project_id = $1 and audit and created_at >= $2::timestamptz and created_at < $3::timestamptz group by 1)
  select nullif(name, '') as model, at from seen s
  where at > (select created_at from item where project_id = $1 and audit order by created_at limit 1)
    and at = (select i.created_at from item i
      where i.project_id = $1 and i.audit and coalesce(i.model, '') = s.name order by i.created_at limit 1)
  order by at desc limit 1`;
