// What waits now that no rollup can say: who holds it, how old the oldest is, how much is past due. It costs the same at any length.
import { COUNT_LIMIT } from '@countersign/shared/api/queue';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';

/** Among so many, in the order in which they are due, the oldest is looked for: it is one of them unless the target was raised meanwhile. */
const LOOKED_AT = 1000;

const late = (status: string) =>
  `(select 1 from item where project_id = $1 and status = '${status}' and due_at < $2 limit ${COUNT_LIMIT})`;
const first = (status: string) =>
  `(select created_at from item where project_id = $1 and status = '${status}' order by due_at, id limit ${LOOKED_AT})`;

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
