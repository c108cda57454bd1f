// How many items each view holds: exact as far as a person reads a number, and never a count of the whole queue.
import { COUNTED, type QueueView } from '@countersign/shared/api/queue';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { QueueScope } from './queue-lines.ts';

const OF_PROJECTS = `project_id = any($1::uuid[]) and status in ('queued', 'escalated')`;
const REACHABLE = `(status = 'queued' or project_id = any($2::uuid[]))`;

/**
 * Each count stops one beyond `COUNTED`, so it costs the same at any length of the queue. What is held is few and counted whole;
 * with it taken off what could be taken, no row but those has to be visited.
 */
const countsIn = (reachable: string): string => `
  with held as (
    select count(*) filter (where ${REACHABLE}) as reachable, count(*) filter (where claimed_by = $3::uuid) as mine
    from item where claim_expires_at is not null and ${OF_PROJECTS})
  select held.mine,
    (select count(*) from (select 1 from item where ${OF_PROJECTS}${reachable} limit $4::int + held.reachable) w)
      - held.reachable as available,
    (select count(*) from (select 1 from item where project_id = any($1::uuid[]) and status = 'escalated' limit $4::int) w) as escalated,
    (select count(*) from (select 1 from item where ${OF_PROJECTS} limit $4::int) w) as "all"
  from held`;

const OF_SOME = countsIn(` and ${REACHABLE}`);
/** Where the actor may take everything that waits, the index alone answers. */
const OF_EVERYTHING = countsIn('');

/** The number at each view; one more than `COUNTED` means: more than that. */
export async function countsOf(em: Em, { all, escalated, userId }: QueueScope): Promise<Record<QueueView, number>> {
  const text = escalated.length === all.length ? OF_EVERYTHING : OF_SOME;
  const [row] = await rawQuery<Record<QueueView, string | number>>(em, text, [all, escalated, userId, COUNTED + 1]);
  const counted = (view: QueueView) => Math.min(COUNTED + 1, Number(row?.[view] ?? 0));
  return {
    available: counted('available'),
    mine: counted('mine'),
    escalated: counted('escalated'),
    all: counted('all'),
  };
}
