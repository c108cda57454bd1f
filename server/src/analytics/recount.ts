// Recounts a project's event log to verify its rollups (I9), and resets rollups for recounting.
import { IsolationLevel } from '@mikro-orm/core';
import type { Em, Orm } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { countEvents, type Progress } from './count-events.ts';

/** A figure that differs from what the event log gives. */
export interface Difference {
  measure: string;
  grain: string;
  at: string;
  key: string;
  /** n, part and total. */
  stored: [number, number, number];
  recounted: [number, number, number];
}

export interface Recount {
  /** The last `seq` that both have counted. */
  counted: number;
  head: number;
  /** How many figures were compared. */
  figures: number;
  /** Figures of periods that began by then cannot be recounted, because events of them were deleted (KE4). */
  goneUntil: Date | null;
  /** The first `SHOWN` figures that differ. */
  differences: Difference[];
}

const BATCH_SIZE = 5000;
const SHOWN = 20;

/** $2: periods that began by then are not compared. A figure of zero needs no row. */
const COMPARE = `
  with stored as (select * from rollup where project_id = $1 and at > $2::timestamptz and (n, part, total) <> (0, 0, 0)),
    counted as (select * from recount where project_id = $1 and at > $2::timestamptz and (n, part, total) <> (0, 0, 0))
  select measure, grain, at, key, coalesce(s.n, 0) as n, coalesce(s.part, 0) as part, coalesce(s.total, 0) as total,
    coalesce(c.n, 0) as cn, coalesce(c.part, 0) as cpart, coalesce(c.total, 0) as ctotal
  from stored s full join counted c using (project_id, measure, grain, at, key)
  where (s.n, s.part, s.total) is distinct from (c.n, c.part, c.total) order by at, measure, key, grain limit ${SHOWN}`;

const SIZE = 'select count(*) as n from recount where at > $1::timestamptz';

type CompareRow = Record<'measure' | 'grain' | 'key', string> & { at: string | Date } & Record<
    'n' | 'part' | 'total' | 'cn' | 'cpart' | 'ctotal',
    string | number
  >;

/**
 * Counts the event log again into a temporary table and compares. Both sides are of one snapshot, and the relay does not wait.
 * Null when there is no such project.
 */
export function recount(
  orm: Orm,
  projectId: string,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<Recount | null> {
  const work = (em: unknown) => recountIn(em as Em, projectId, onProgress);
  return orm.em.fork().transactional(work, { isolationLevel: IsolationLevel.REPEATABLE_READ });
}

async function recountIn(em: Em, projectId: string, onProgress: (progress: Progress) => void): Promise<Recount | null> {
  const [project] = await rawQuery<{ counted: string; head: string; gone_until: string | Date | null }>(
    em,
    `select p.rollup_seq as counted, p.event_seq as head, k.gone_until
     from project p left join keeping k on k.project_id = p.id and k.kind = 'ledger' where p.id = $1`,
    [projectId],
  );
  if (project === undefined) return null;
  const [counted, head] = [Number(project.counted), Number(project.head)];
  await rawQuery(em, 'drop table if exists pg_temp.recount', []);
  await rawQuery(em, 'create temporary table recount (like rollup including indexes) on commit drop', []);
  for (let after = 0; after < counted; after += BATCH_SIZE) {
    const through = Math.min(counted, after + BATCH_SIZE);
    await countEvents(em, [{ projectId, after, through }], 'recount');
    onProgress({ projectId, counted: through, head: counted });
  }
  const goneUntil = project.gone_until === null ? null : new Date(project.gone_until);
  const since = goneUntil ?? '-infinity';
  const rows = await rawQuery<CompareRow>(em, COMPARE, [projectId, since]);
  const [size] = await rawQuery<{ n: string }>(em, SIZE, [since]);
  return { counted, head, figures: Number(size?.n), goneUntil, differences: rows.map(toDifference) };
}

const toDifference = ({ measure, grain, key, at, ...row }: CompareRow): Difference => ({
  ...{ measure, grain, key, at: new Date(at).toISOString() },
  stored: [Number(row.n), Number(row.part), Number(row.total)],
  recounted: [Number(row.cn), Number(row.cpart), Number(row.ctotal)],
});

/** Thrown when figures cannot be recounted: items were deleted, and only the figures still count them (KE4). */
export class EventLogPruned extends Error {
  constructor() {
    super(
      'Items of this project and their events were deleted by its retention settings: its figures cannot be recounted.',
    );
    this.name = 'EventLogPruned';
  }
}

/** Resets a project's rollups: any worker then counts its event log from the start. Errors: `EventLogPruned`. */
export async function forgetRollups(em: Em, projectId: string): Promise<void> {
  // Locks the row so that retention deletes nothing between this check and the commit: what it deletes has to be counted first.
  const lock = `insert into keeping (project_id, kind) values ($1, 'ledger') on conflict (project_id, kind)
    do update set kind = excluded.kind returning facts_gone > 0 as gone`;
  const [retention] = await rawQuery<{ gone: boolean }>(em, lock, [projectId]);
  if (retention?.gone) throw new EventLogPruned();
  await rawQuery(em, 'update project set rollup_seq = 0 where id = $1', [projectId]);
  await rawQuery(em, 'delete from rollup where project_id = $1', [projectId]);
}
