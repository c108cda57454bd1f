// Lists the cases of a regression run for a pipeline: the inputs, without any earlier answer.
import { rawQuery } from '../../db/raw-query.ts';
import type { ApiKeyActor, Services } from '../services.ts';
import { placesOf, requireRun, runOf, type RunRow } from './regression-rows.ts';

const BYTES = 'octet_length(i.input) + coalesce(octet_length(i.metadata), 0)';

/** Errors: `not_found`. */
export const readPublicRegression = (services: Services, actor: ApiKeyActor, id: string): Promise<RunRow> =>
  services.db.read((em) => runOf(em, actor.projectId, id));

export interface PublicCasesQuery {
  regressionId: string;
  /** Only those without an answer. */
  unanswered: boolean;
  after: string | undefined;
  limit: number;
}

/** JSON values are text. */
export interface PublicCaseRow {
  id: string;
  input: string;
  metadata: string | null;
}

/** In the order of the run. Errors: `not_found`, `invalid_cursor`. */
export function listPublicCases(
  services: Services,
  actor: ApiKeyActor,
  query: PublicCasesQuery,
): Promise<{ rows: PublicCaseRow[]; nextCursor: string | null }> {
  return services.db.read(async (em) => {
    const { regressionId, unanswered, after, limit } = query;
    await requireRun(em, actor.projectId, regressionId);
    const state = unanswered ? 'unanswered' : undefined;
    const { places, nextCursor } = await placesOf(em, { regressionId, state, after, limit }, BYTES);
    const rows = await rawQuery<PublicCaseRow>(
      em,
      `select l.id, i.input, i.metadata from regression_case c join learning l on l.id = c.learning_id join item i on i.id = l.item_id
       where c.regression_id = $1 and c.place = any($2::int[]) order by c.place`,
      [regressionId, places],
    );
    return { rows, nextCursor };
  });
}
