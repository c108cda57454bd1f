// How long a person has an item before they decide it: what reviewer hours are reckoned with (AN26).
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { TimeWindow } from './time-window.ts';

/** The newest decisions say how fast people work today. */
const DECISIONS = 500;

/**
 * Seconds from the last claim before a decision, or from the same person's decision before it when that was later: who holds several
 * items works on one at a time. The median, because a pause over an open item is no work. `seconds` is null when nobody decided anything.
 */
export async function paceOf(
  em: Em,
  { projectId, from, to }: TimeWindow,
): Promise<{ n: number; seconds: number | null }> {
  const [row] = await rawQuery<{ n: string; seconds: number | null }>(
    em,
    `select count(*) as n, percentile_cont(0.5) within group (order by seconds) as seconds
     from (select extract(epoch from d.decided_at - greatest(c.claimed_at, d.before)) as seconds
       from (select item_id, decided_at, lag(decided_at) over (partition by reviewer_id order by decided_at) as before
           from (select item_id, decided_at, reviewer_id from decision
             where project_id = $1 and reviewer_id is not null and decided_at >= $2 and decided_at < $3
             order by decided_at desc limit ${DECISIONS}) newest) d
         join lateral (select max(e.created_at) as claimed_at from event e
           where e.item_id = d.item_id and e.type = 'item.claimed' and e.created_at <= d.decided_at) c
           on c.claimed_at is not null) worked`,
    [projectId, from, to],
  );
  return { n: Number(row?.n ?? 0), seconds: row === undefined || row.seconds === null ? null : Number(row.seconds) };
}
