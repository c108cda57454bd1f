// How many items each view holds: exact as far as a person reads a number, and never a count of the whole queue.
import { COUNT_LIMIT, type QueueView } from '@countersign/shared/api/queue';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { QueueScope } from './queue-rows.ts';

/** Each status by itself, so that the index passes over none: however many are escalated, they cost who may not take them nothing. */
const counted = (most: string, escalated: string): string => `
  (select count(*) from (
    (select 1 from item where project_id = any($1::uuid[]) and status = 'queued' limit ${most})
    union all (select 1 from item where project_id = any(${escalated}::uuid[]) and status = 'escalated' limit ${most})
    limit ${most}) w)`;

/**
 * Each count stops one beyond `COUNTED`, so it costs the same at any length of the queue. What is held is few and counted whole;
 * with it taken off what could be taken, no row but those has to be visited.
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

/** The number at each view; one more than `COUNTED` means: more than that. */
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
