// Adds facts to the rollups, in the transaction that says so in `rollup_seq`: each counts once, whatever crashes (I9).
import { COUNTED } from '../db/channels.ts';
import type { Em } from '../db/orm.ts';
import { planned } from '../db/planned.ts';
import { rawQuery } from '../db/raw-query.ts';
import { incrementsOf, type Increment } from '../domain/rollup.ts';
import { readFacts, type Span } from './ledger-facts.ts';

export type { Span };

const MINUTE_MS = 60_000;

/** Minutes into `table`, which is shaped like `rollup`, and into the hours and days they lie in. Ordered, so that nobody meets crosswise. */
const added = (table: string): string => `
  insert into ${table} as r (project_id, measure, grain, at, key, n, part, total)
  select w."projectId", w.measure, g.grain, date_trunc(g.grain, to_timestamp(w.at / 1000.0), 'UTC'), w.key,
    sum(w.n)::bigint, sum(w.part)::bigint, sum(w.total)::bigint
  from json_to_recordset($1::json) as w("projectId" uuid, measure text, at bigint, key text, n bigint, part bigint, total bigint)
  cross join (values ('minute'), ('hour'), ('day')) as g(grain)
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (project_id, measure, grain, at, key)
    do update set n = r.n + excluded.n, part = r.part + excluded.part, total = r.total + excluded.total`;

const TABLES = { rollup: planned(added('rollup')), recount: added('recount') } as const;

/** Adds what these stretches of ledgers count, with two statements whatever their length. Whoever calls moves `rollup_seq` along. */
export async function countFacts(em: Em, spans: readonly Span[], table: keyof typeof TABLES = 'rollup'): Promise<void> {
  if (spans.length === 0) return;
  const sums = new Map<string, Increment & { projectId: string }>();
  for (const { projectId, fact } of await readFacts(em, spans)) {
    for (const increment of incrementsOf(fact)) add(sums, projectId, increment);
  }
  if (sums.size > 0) await rawQuery(em, TABLES[table], [JSON.stringify([...sums.values()])]);
}

/** Changes `sums`. */
function add(sums: Map<string, Increment & { projectId: string }>, projectId: string, increment: Increment): void {
  const at = Math.floor(increment.at / MINUTE_MS) * MINUTE_MS;
  const place = `${projectId} ${increment.measure} ${at} ${increment.key}`;
  const sum = sums.get(place);
  if (sum === undefined) sums.set(place, { ...increment, projectId, at });
  else {
    sum.n += increment.n;
    sum.part += increment.part;
    sum.total += increment.total;
  }
}

/** A project that is counted so far, of so much. */
export interface Progress {
  projectId: string;
  counted: number;
  head: number;
}

/** Facts that one transaction counts at most: the relay waits for it. */
const PORTION = 2000;

/**
 * Counts a portion of one ledger that is stamped further than it is counted: one from before the rollups, one that a relay of an older
 * version stamped, one that is counted anew. `projectId` names it, otherwise it is any that nobody else is at. Null when there is none.
 */
export async function countPortion(
  em: Em,
  { projectId = null, portion = PORTION }: { projectId?: string | null; portion?: number } = {},
): Promise<Progress | null> {
  const [behind] = await rawQuery<{ id: string; counted: string; head: string }>(
    em,
    `select id, rollup_seq as counted, event_seq as head from project
     where rollup_seq < event_seq and deleted_at is null and ($1::uuid is null or id = $1)
     order by id limit 1 for no key update ${projectId === null ? 'skip locked' : ''}`,
    [projectId],
  );
  if (behind === undefined) return null;
  const [after, head] = [Number(behind.counted), Number(behind.head)];
  const through = Math.min(head, after + portion);
  await countFacts(em, [{ projectId: behind.id, after, through }]);
  await rawQuery(em, 'update project set rollup_seq = $2 where id = $1', [behind.id, through]);
  await rawQuery(em, 'select pg_notify($1, $2)', [COUNTED, behind.id]);
  return { projectId: behind.id, counted: through, head };
}
