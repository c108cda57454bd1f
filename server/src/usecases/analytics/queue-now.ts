// Queue figures that the rollups do not have: held items, the oldest item, items past due. The cost has an upper limit.
import { COUNT_LIMIT } from '@countersign/shared/api/queue';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';

/** The oldest item is searched among this many in due order: it is among them unless the target was raised meanwhile. */
const MAX_EXAMINED = 1000;

const late = (status: string) =>
  `(select 1 from item where project_id = $1 and status = '${status}' and due_at < $2 limit ${COUNT_LIMIT})`;
const first = (status: string) =>
  `(select created_at from item where project_id = $1 and status = '${status}' order by due_at, id limit ${MAX_EXAMINED})`;

const QUEUE_NOW = `
  select (select count(*) from item where project_id = $1 and claim_expires_at is not null) as reviewing,
    (select count(*) from (${late('queued')} union all ${late('escalated')}) l) as past_due,
    (select min(created_at) from (${first('queued')} union all ${first('escalated')}) f) as oldest_at`;

export async function queueNow(em: Em, projectId: string, now: Date) {
  const [row] = await rawQuery<{ reviewing: string; past_due: string; oldest_at: string | Date | null }>(
    em,
    QUEUE_NOW,
    [projectId, now.toISOString()],
  );
  const oldest = row?.oldest_at ?? null;
  return {
    reviewing: Number(row?.reviewing),
    past_due: Math.min(COUNT_LIMIT, Number(row?.past_due)),
    oldest_at: oldest === null ? null : new Date(oldest).toISOString(),
  };
}
