// Which audits the bound for every look counts (AU6): those since the line, the flags or the model last changed, of the last 30 to 60 days.
import { auditStart } from '../../domain/audits/audit-start.ts';
import { type AuditSpan, MOST_AUDITS } from './audit-rows.ts';
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';
import { RETAINED_SINCE } from '../retention/retained-since.ts';

/** Why audits count from a moment on: no older ones do, an owner changed the line or the flags, it was raised by itself, or a new model. */
export type Began = 'time' | 'auto_threshold' | 'raised' | 'model';

export interface GuaranteeSpan extends AuditSpan {
  version: number;
  /** The same without new models: by audits from then on a budget may be crossed, but never proven (AU6). */
  throughModels: Date;
  began: { at: Date; why: Began; model: string | null };
}

/** The count begins again with a line or flags that were changed and with a model that was never audited before: older audits are of other answers. */
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

/** After when every item is there, and no more audits came than are read; and when the project was made. */
const EARLIEST = `
  select nullif(greatest(${RETAINED_SINCE},
    (select created_at from item where project_id = $1 and audit order by created_at desc offset ${MOST_AUDITS - 1} limit 1)),
    '-infinity') as earliest,
    (select changed_at from project_settings where project_id = $1 and version = 1) as made`;

/** Nobody's versions are the system's own. */
const LAST_THRESHOLD_CHANGE = `
  select s.version, s.changed_at as at, s.changed_by is null
    and (s.settings ->> 'auto_threshold')::float8 > (b.settings ->> 'auto_threshold')::float8 as raised
  from project_settings s join project_settings b on b.project_id = s.project_id and b.version = s.version - 1
  where s.project_id = $1 and (s.settings -> 'auto_threshold' <> b.settings -> 'auto_threshold'
    or s.settings -> 'escalate_flags' <> b.settings -> 'escalate_flags')
  order by s.version desc limit 1`;

/**
 * $2, $3: the span, in which no more audits are than count. The first model of a project is not new. No name is a name as well, and an
 * empty one there is not. Which models are older is asked of each by its index: the audits before the span may be any number.
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
