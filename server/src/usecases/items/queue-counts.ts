// Counts the items of each view: exact up to a limit, and never by counting the whole queue.
import { COUNT_LIMIT, type QueueView } from '@countersign/shared/api/queue';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { QueueScope } from './queue-rows.ts';

/**
 * Each status is searched separately, so that the index skips no rows: escalated
 * items cost nothing for people who may not claim them.
 */
const counted = (most: string, escalated: string): string => `
  (select count(*) from (
    (select 1 from item where project_id = any($1::uuid[]) and status = 'queued' limit ${most})
    union all (select 1 from item where project_id = any(${escalated}::uuid[]) and status = 'escalated' limit ${most})
    limit ${most}) w)`;

/**
 * Each count stops one beyond `COUNT_LIMIT`, so that the length of the queue does not matter. Held items are few and all counted;
 * they are subtracted from what could be claimed, so that no other row has to be visited.
 */
const COUNTS = `
  with held as (
    select count(*) filter (where status = 'queued' or project_id = any($2::uuid[])) as reachable,
      count(*) filter (where claimed_by = $3::uuid) as mine
    from item where claim_expires_at is not null and project_id = any($1::uuid[]) and status in ('queued', 'escalated'))
  select held.mine,
    ${counted('$4::int + held.reachable', '$2')} - held.reachable as available,
    (select count(*) from (select 1 from item where project_id = any($1::uuid[]) and status = 'escalated' limit $4::int) w) as escalated,
    ${counted('$4::int', '$1')} as "all"
  from held`;

/** The number in each view; one more than `COUNT_LIMIT` means: more than that. */
export async function countsOf(em: Em, { all, escalated, userId }: QueueScope): Promise<Record<QueueView, number>> {
  const [row] = await rawQuery<Record<QueueView, string | number>>(em, COUNTS, [
    all,
    escalated,
    userId,
    COUNT_LIMIT + 1,
  ]);
  const number = (view: QueueView) => Math.min(COUNT_LIMIT + 1, Number(row?.[view] ?? 0));
  return { available: number('available'), mine: number('mine'), escalated: number('escalated'), all: number('all') };
}
