// Lists the flags, models and sources by which a project's learnings can be filtered, the most common first.
import { VALUES_LISTED, type LearningValues } from '@countersign/shared/api/learnings';
import { rawQuery } from '../../db/raw-query.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { fromOf } from './learning-where.ts';

/** One pass over the items, whose reading is by far the largest part. */
const VALUES = `
  with met as materialized (select i.risk_flags, i.model, i.source, count(*) as count ${fromOf({ joins: true })}
      where l.project_id = $1 group by 1, 2, 3),
    given as (select 'flags' as kind, flag.value, sum(count) as count from met cross join unnest(risk_flags) as flag(value) group by 2
      union all select 'models', model, sum(count) from met where model is not null group by 2
      union all select 'sources', source, sum(count) from met where source is not null group by 2),
    placed as (select *, row_number() over (partition by kind order by count desc, value) as place from given)
  select kind, value, count::int as count from placed where place <= ${VALUES_LISTED} order by kind, place`;

/** Errors: `not_found`, `forbidden`. */
export function listLearningValues(services: Services, actor: MemberActor, projectId: string): Promise<LearningValues> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const rows = await rawQuery<{ kind: keyof LearningValues; value: string; count: number }>(em, VALUES, [projectId]);
    const values: LearningValues = { flags: [], models: [], sources: [] };
    for (const { kind, ...one } of rows) values[kind].push(one);
    return values;
  });
}
