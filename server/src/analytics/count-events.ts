// Adds events to the rollups in the transaction that moves `rollup_seq`, so that each counts exactly once (I9).
import { COUNTED } from '../db/connection/channels.ts';
import type { Em } from '../db/orm.ts';
import { planned } from '../db/connection/planned.ts';
import { rawQuery } from '../db/raw-query.ts';
import { incrementsOf, type Increment } from '../domain/analytics/rollup.ts';
import { boundKeys } from './bound-keys.ts';
import { FRESH, readEvents, type Span } from './read-events.ts';

const MINUTE_MS = 60_000;

/**
 * Adds minutes to `table`, which has the columns of `rollup`, and to their
 * hours and days. The order of the rows prevents deadlocks.
 */
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

type Sum = Increment & { projectId: string };

/** Adds what these spans of event logs count, with three statements for any length. The caller moves `rollup_seq`. */
export async function countEvents(em: Em, spans: readonly Span[], table: keyof typeof TABLES): Promise<void> {
  await addSums(em, await sumsOf(em, spans), table);
}

async function addSums(em: Em, sums: readonly Sum[], table: keyof typeof TABLES): Promise<void> {
  if (sums.length === 0) return;
  const bounded = await boundKeys(em, sums, table);
  await rawQuery(em, TABLES[table], [JSON.stringify(bounded)]);
}

/**
 * Sums in the order in which each key first occurs in its event log: which keys get their own row depends on that order (AN27).
 */
async function sumsOf(em: Em, spans: readonly Span[]): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  if (spans.length === 0) return [];
  for (const { projectId, event } of await readEvents(em, spans)) {
    for (const increment of incrementsOf(event)) add(sums, projectId, increment);
  }
  return [...sums.values()];
}

/** Mutates `sums`. */
function add(sums: Map<string, Sum>, projectId: string, increment: Increment): void {
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

/** How far a project is counted, and where its event log ends. */
export interface Progress {
  projectId: string;
  counted: number;
  head: number;
}

/** The most events that one transaction counts, and the most event logs that share them. */
const BATCH_SIZE = 2000;
export const MAX_LOGS = 100;

/** $1: one project, or null for all. The projects that are furthest behind come first. */
const BEHIND = `
  select id, rollup_seq as counted, event_seq as head from project
  where rollup_seq < event_seq and deleted_at is null and ($1::uuid is null or id = $1)
  order by event_seq - rollup_seq desc limit ${MAX_LOGS}`;

/** Whether an event log is sequenced further than it is counted. */
export async function isBehind(em: Em): Promise<boolean> {
  return (await rawQuery(em, BEHIND, [null])).length > 0;
}

/**
 * $1: spans. An event log that another transaction counted meanwhile is not moved. Rows are locked in the order of their ids, as
 * the event relay locks them, to prevent deadlocks; they stay locked for one more statement only.
 */
const MOVE = planned(`
  with held as (
    select p.id, s.through from json_to_recordset($1::json) as s("projectId" uuid, after bigint, through bigint)
    join project p on p.id = s."projectId" and p.rollup_seq = s.after order by p.id for no key update of p
  )
  update project p set rollup_seq = held.through from held where p.id = held.id returning p.id`);

interface Behind {
  id: string;
  after: number;
  head: number;
}

/** Divides a batch among event logs: those that need less than their share leave the rest to those that need more. */
export function shareOut(behind: readonly Behind[], batchSize: number): Span[] {
  let left = batchSize;
  const need = ({ after, head }: Behind) => head - after;
  return behind
    .toSorted((one, other) => need(one) - need(other))
    .map((eventLog, index) => {
      const share = Math.min(need(eventLog), Math.max(1, Math.floor(left / (behind.length - index))));
      left -= share;
      return { projectId: eventLog.id, after: eventLog.after, through: eventLog.after + share };
    });
}

/**
 * Counts one batch of the event logs that are sequenced further than they are counted; `projectId` limits it to one project.
 * Returns how far each is counted at least (another process may have counted further), and an empty list when all are counted.
 */
export async function countBatch(
  em: Em,
  { projectId = null, batchSize = BATCH_SIZE }: { projectId?: string | null; batchSize?: number } = {},
): Promise<Progress[]> {
  const rows = await rawQuery<{ id: string; counted: string; head: string }>(em, BEHIND, [projectId]);
  if (rows.length === 0) return [];
  const behind = rows.map(({ id, counted, head }) => ({ id, after: Number(counted), head: Number(head) }));
  const spans = shareOut(behind, batchSize);
  const sums = await sumsOf(em, spans);
  const moved = new Set((await rawQuery<{ id: string }>(em, MOVE, [JSON.stringify(spans)])).map(({ id }) => id));
  const counted = sums.filter((sum) => moved.has(sum.projectId));
  await addSums(em, counted, 'rollup');
  const unread = behind.filter(({ id, after, head }) => moved.has(id) && head - after > FRESH);
  for (const { id } of unread) await rawQuery(em, 'select pg_notify($1, $2)', [COUNTED, id]);
  const heads = new Map(behind.map(({ id, head }) => [id, head]));
  return spans.map(({ projectId: of, after, through }) => ({
    projectId: of,
    counted: moved.has(of) ? through : after,
    head: heads.get(of) ?? through,
  }));
}
