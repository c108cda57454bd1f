// Reads regression runs with counts from their cases, so that a learning whose decision was undone is in none.
import type { CaseState } from '@countersign/shared/enums';
import type { Regression as WireRegression } from '@countersign/shared/schemas/regressions';
import { Regression } from '../../db/entities/regression.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { notFound } from '../access/membership.ts';
import { decodeSeq, encodeSeq, fitting } from '../cursor.ts';

/** A run with its counts; times as the database returns them. */
export type RunRow = Omit<WireRegression, 'created_at' | 'answered_at'> & {
  project_id: string;
  created_at: string | Date;
  answered_at: string | Date | null;
};

/** A query over `regression r`, to be narrowed by a `where`. */
export const RUNS = `
  select r.id, r.project_id, r.title, r.filter, r.started_by_name, r.created_at, t.* from regression r cross join lateral (
    select count(*)::int as cases, count(c.outcome)::int as answered,
      (count(*) filter (where c.outcome = 'still_fails'))::int as still_fails,
      (count(*) filter (where c.outcome = 'differs'))::int as differs, (count(*) filter (where c.outcome = 'fixed'))::int as fixed,
      (count(*) filter (where c.outcome = 'still_fails' and c.status = 'auto_approved'))::int as unnoticed,
      max(c.answered_at) as answered_at,
      (array_agg(c.answered_by_name order by c.answered_at desc) filter (where c.answered_at is not null))[1] as answered_by_name
    from regression_case c where c.regression_id = r.id) t`;

/** One run. Errors: `not_found`. */
export async function runOf(em: Em, projectId: string, id: string): Promise<RunRow> {
  const [row] = await rawQuery<RunRow>(em, `${RUNS} where r.project_id = $1 and r.id = $2`, [projectId, id]);
  if (row === undefined) throw notFound();
  return row;
}

/** Refuses a run that the project does not have. Errors: `not_found`. */
export async function requireRun(em: Em, projectId: string, id: string): Promise<void> {
  if ((await em.count(Regression, { id, projectId })) === 0) throw notFound();
}

interface CasesOf {
  regressionId: string;
  state: CaseState | undefined;
  after: string | undefined;
  limit: number;
}

/** One page of the cases of a run, by their places in it. */
export interface Places {
  /** As an array literal of the database. */
  places: string;
  nextCursor: string | null;
}

/**
 * The cases of the next page: at most `limit`, and at most as many bytes as a page may have, which `bytes` computes in SQL (of
 * `c`, the learning `l` and its item `i`). Errors: `invalid_cursor`.
 */
export async function placesOf(em: Em, { regressionId, state, after, limit }: CasesOf, bytes: string): Promise<Places> {
  const found = await rawQuery<{ place: number; bytes: number }>(
    em,
    `select c.place, ${bytes} as bytes
     from regression_case c join learning l on l.id = c.learning_id join item i on i.id = l.item_id
     where c.regression_id = $1 and c.place > $2::bigint and ($3::text is null or coalesce(c.outcome, 'unanswered') = $3)
     order by c.place limit $4`,
    [regressionId, decodeSeq(after) ?? 0, state ?? null, limit + 1],
  );
  const page = found.slice(0, fitting(found, limit)).map(({ place }) => place);
  const last = page.at(-1);
  const more = found.length > page.length && last !== undefined;
  return { places: `{${page.join(',')}}`, nextCursor: more ? encodeSeq(last) : null };
}
