// Lists regression runs and their cases: for members with all answers, for a pipeline with the inputs alone.
import type { CaseState, ItemKind, ItemStatus, Outcome } from '@countersign/shared/enums';
import { Cluster } from '../../db/entities/cluster.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services, ApiKeyActor } from '../services.ts';
import { treeOf } from '../learnings/cluster-roots.ts';
import { decodeCursor, toPage, type PageQuery } from '../cursor.ts';
import { placesOf, runOf, RUNS, type RunRow, requireRun } from './regression-rows.ts';
import type { OverrideAction } from '@countersign/shared/review-actions';

const BYTES =
  'octet_length(i.suggestion) + coalesce(octet_length(l.output), 0) + coalesce(octet_length(c.suggestion), 0) + coalesce(octet_length(c.faults), 0)';

export interface RunsQuery extends PageQuery {
  /** Includes runs of clusters merged into it; undefined: runs without a cluster. */
  cluster: string | undefined;
}

/** Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listRegressions(
  services: Services,
  actor: MemberActor,
  { projectId, cluster, after, limit }: RunsQuery,
): Promise<{ rows: RunRow[]; nextCursor: string | null }> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    if (cluster !== undefined && (await em.count(Cluster, { id: cluster, projectId })) === 0) throw notFound();
    const cursor = decodeCursor(after);
    const rows = await rawQuery<RunRow>(
      em,
      `with recursive ${treeOf({ cluster: '$2::uuid', project: '$1' })}
       ${RUNS} where r.project_id = $1 and (case when $2::uuid is null then r.cluster_id is null else r.cluster_id in (select id from tree) end)
         and ($3::timestamptz is null or (r.created_at, r.id) < ($3::timestamptz, $4::uuid))
       order by r.created_at desc, r.id desc limit $5`,
      [projectId, cluster ?? null, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
    );
    return toPage(rows, limit, (row) => ({ at: new Date(row.created_at), id: row.id }));
  });
}

export interface CasesQuery extends PageQuery {
  regressionId: string;
  state: CaseState | undefined;
}

/** JSON values are text; `output` is null for a rejection; `answer` and the fields after it are null without an answer. */
export interface CaseRow {
  id: string;
  item_id: string;
  action: OverrideAction;
  reason: string;
  preview: string;
  title: string | null;
  suggestion: string;
  output: string | null;
  answer: string | null;
  outcome: Outcome | null;
  /** JSON text; null where the answer satisfies its item. */
  faults: string | null;
  confidence: number | null;
  risk_flags: string[] | null;
  status: ItemStatus | null;
  answered_by_name: string | null;
  answered_at: string | Date | null;
}

/** In the order of the run. Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listRegressionCases(
  services: Services,
  actor: MemberActor,
  query: CasesQuery,
): Promise<{ run: RunRow; rows: CaseRow[]; nextCursor: string | null }> {
  const { projectId, regressionId } = query;
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const run = await runOf(em, projectId, regressionId);
    const { places, nextCursor } = await placesOf(em, query, BYTES);
    const rows = await rawQuery<CaseRow>(
      em,
      `select l.id, l.item_id, l.action, l.reason, i.preview, i.title, i.suggestion, l.output, c.suggestion as answer, c.outcome, c.faults,
         c.confidence, c.risk_flags, c.status, c.answered_by_name, c.answered_at
       from regression_case c join learning l on l.id = c.learning_id join item i on i.id = l.item_id
       where c.regression_id = $1 and c.place = any($2::int[]) order by c.place`,
      [regressionId, places],
    );
    return { run, rows, nextCursor };
  });
}

/** The text of the schema of the item `i`. */
const SCHEMA = '(select s.text from answer_schema s where s.project_id = i.project_id and s.digest = i.answer_schema)';
const PUBLIC_BYTES = `octet_length(i.input) + coalesce(octet_length(i.metadata), 0) + coalesce(octet_length(${SCHEMA}), 0)`;

/** Errors: `not_found`. */
export const readPublicRegression = (services: Services, actor: ApiKeyActor, id: string): Promise<RunRow> =>
  services.db.read((em) => runOf(em, actor.projectId, id));

interface PublicCasesQuery {
  regressionId: string;
  /** Only those without an answer. */
  unanswered: boolean;
  after: string | undefined;
  limit: number;
}

/** JSON values are text. */
interface PublicCaseRow {
  id: string;
  input: string;
  metadata: string | null;
  kind: ItemKind;
  answer_schema: string | null;
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
    const { places, nextCursor } = await placesOf(em, { regressionId, state, after, limit }, PUBLIC_BYTES);
    const rows = await rawQuery<PublicCaseRow>(
      em,
      `select l.id, i.input, i.metadata, i.kind, ${SCHEMA} as answer_schema from regression_case c join learning l on l.id = c.learning_id join item i on i.id = l.item_id
       where c.regression_id = $1 and c.place = any($2::int[]) order by c.place`,
      [regressionId, places],
    );
    return { rows, nextCursor };
  });
}
