// The expected wait of each project (EW), read at most every few seconds, however many submissions ask for it.
import { ageOf } from '../../domain/age.ts';
import type { Clock } from '../../db/clock.ts';
import type { Database } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { EXPECTED_WAIT_SPAN, expectedWait } from '../../domain/items/expected-wait.ts';

/** EW2: a figure is read again after this many milliseconds, and no longer used after these. */
export const FRESH_MS = 5000;
export const USABLE_MS = 60_000;
/** A submission does not wait longer than this for the figure, in milliseconds. */
const PATIENCE_MS = 100;
const MAX_PROJECTS = 1000;
/** The newest decisions show the present speed. */
const MAX_DECISIONS = 500;
/** The count stops here, so that it costs the same with a longer queue. */
const MAX_DEPTH = 10_000;

/**
 * $1: the project; $2: an hour ago; $3: now. A revision ends no wait (RV7). Counts audits, because they count as
 * waiting too (AN35). `span` is how far back the newest decisions reach where there are more in the hour; null where they are all of
 * the hour.
 */
const READ = `
  with decided as (
    select item_id, decided_at from decision
    where project_id = $1 and reviewer_id is not null and revision = 1 and decided_at > $2
    order by decided_at desc limit ${MAX_DECISIONS}
  )
  select (select array_to_json(array_agg(extract(epoch from d.decided_at - i.created_at)::float8))::text
      from decided d join item i on i.id = d.item_id) as waits,
    (select extract(epoch from $3::timestamptz - min(decided_at))::float8 from decided having count(*) = ${MAX_DECISIONS}) as span,
    (select count(*) from (
      select 1 from item where project_id = $1 and status in ('queued', 'escalated') limit ${MAX_DEPTH}) waiting) as depth`;

interface Figure {
  seconds: number | null;
  readAt: number;
}

export interface ExpectedWaits {
  /**
   * In seconds, for a submission to this project that waits for people; null when unknown, also while the database is
   * slow. Never fails.
   */
  of(projectId: string): Promise<number | null>;
}

interface Needs {
  db: Database;
  clock: Clock;
}

export function createExpectedWaits(
  { db, clock }: Needs,
  { patienceMs = PATIENCE_MS }: { patienceMs?: number } = {},
): ExpectedWaits {
  /** The longest known first. */
  const figures = new Map<string, Figure>();
  const reading = new Map<string, Promise<Figure>>();

  const read = async (projectId: string): Promise<Figure> => {
    const now = clock.now();
    const seconds = await db.read((em) => readExpectedWait(em, projectId, now)).catch(() => null);
    const figure = { seconds, readAt: now.getTime() };
    figures.delete(projectId);
    figures.set(projectId, figure);
    const [oldest] = figures.keys();
    if (figures.size > MAX_PROJECTS && oldest !== undefined) figures.delete(oldest);
    return figure;
  };
  const readOnce = (projectId: string): Promise<Figure> => {
    const running = reading.get(projectId);
    if (running !== undefined) return running;
    const started = read(projectId).finally(() => reading.delete(projectId));
    reading.set(projectId, started);
    return started;
  };
  return {
    of: async (projectId) => {
      const known = figures.get(projectId);
      const age = ageOf(clock.now(), known?.readAt);
      const newer = age < FRESH_MS ? null : readOnce(projectId);
      if (known !== undefined && age < USABLE_MS) return known.seconds;
      return newer === null ? null : ((await inTime(newer, patienceMs))?.seconds ?? null);
    },
  };
}

/** The value, or null when it takes too long. */
async function inTime<T>(value: Promise<T>, patienceMs: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), patienceMs);
  return Promise.race([value, late.promise]).finally(() => clearTimeout(timer));
}

async function readExpectedWait(em: Em, projectId: string, now: Date): Promise<number | null> {
  const since = new Date(now.getTime() - EXPECTED_WAIT_SPAN * 1000);
  const [row] = await rawQuery<{ waits: string | null; span: number | null; depth: string }>(em, READ, [
    projectId,
    since.toISOString(),
    now.toISOString(),
  ]);
  const waits = JSON.parse(row?.waits ?? '[]') as number[];
  const span = Math.max(1, row?.span ?? EXPECTED_WAIT_SPAN);
  return expectedWait({ waits, span, depth: Number(row?.depth ?? 0) });
}
