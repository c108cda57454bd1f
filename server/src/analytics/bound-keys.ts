// Limits how many names one day of a project is counted under, given the names that are stored already (AN27).
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Increment, Measure } from '../domain/analytics/rollup.ts';
import { keyedDays, withBoundedKeys } from '../domain/analytics/rollup-keys.ts';

type OfProject = Increment & { projectId: string };

const KNOWN = (table: string): string => `
  select r.project_id, r.measure, r.at, r.key
  from json_to_recordset($1::json) as d("projectId" uuid, measure text, day bigint)
  cross join lateral (
    select * from ${table} x where x.project_id = d."projectId" and x.measure = d.measure and x.grain = 'day'
      and x.at = to_timestamp(d.day / 1000.0) offset 0
  ) r`;

/**
 * The increments in event log order, with their final keys: `table` holds the keys
 * of the day so far. No other transaction may count meanwhile.
 */
export async function boundKeys<I extends OfProject>(
  em: Em,
  increments: readonly I[],
  table: 'rollup' | 'recount',
): Promise<I[]> {
  const days = keyedDays(increments);
  if (days.length === 0) return [...increments];
  const rows = await rawQuery<{ project_id: string; measure: Measure; at: string | Date; key: string }>(
    em,
    KNOWN(table),
    [JSON.stringify(days)],
  );
  const known = rows.map(({ project_id: projectId, measure, at, key }) => {
    return { projectId, measure, day: new Date(at).getTime(), key };
  });
  return withBoundedKeys(increments, known);
}
