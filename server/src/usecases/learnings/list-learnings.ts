// Lists the recorded overrides of a project, newest first, with an optional filter.
import type { Learning as WireLearning } from '@countersign/shared/schemas/learnings';
import { displayName } from '../../domain/access/actor.ts';
import { rawJson } from '@countersign/shared/json/json';
import { mayExcludeLearnings } from '../../domain/access/permissions.ts';
import { Cluster } from '../../db/entities/cluster.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { isArchived, notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { createYielder } from '../yield-to-event-loop.ts';
import { treeOf } from './cluster-roots.ts';
import { decodeCursor, fitting, textBytes, toPage, type Cursor, type PageQuery } from '../cursor.ts';
import { diffOf } from './json-diff.ts';
import { fromOf, whereOf, type LearningsOf, type Where } from './learning-where.ts';
import type { OverrideAction } from '@countersign/shared/review-actions';

export interface LearningsQuery extends LearningsOf, PageQuery {
  cluster?: string | undefined;
}

interface Row {
  id: string;
  item_id: string;
  action: OverrideAction;
  preview: string;
  title: string | null;
  suggestion: string;
  output: string | null;
  reason: string;
  note: string | null;
  response: string | null;
  confidence: number;
  risk_flags: string[];
  model: string | null;
  source: string | null;
  reviewer_id: string;
  reviewer_name: string | null;
  reviewer_address: string;
  settings_version: number;
  guidelines_version: number | null;
  excluded: boolean;
  created_at: string | Date;
}

export interface LearningsPage {
  data: WireLearning[];
  next_cursor: string | null;
  total: number;
  excluded: number;
}

/** Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listLearnings(services: Services, actor: MemberActor, query: LearningsQuery): Promise<LearningsPage> {
  return services.db.read(async (em) => {
    const { cluster, projectId } = query;
    const role = await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const can = mayExcludeLearnings(role, await isArchived(em, projectId));
    if (cluster !== undefined && (await em.count(Cluster, { id: cluster, projectId })) === 0) throw notFound();
    const where = inCluster(whereOf(query), cluster);
    const found = await foundIn(em, where, { limit: query.limit, cursor: decodeCursor(query.after) });
    const page = toPage(found, fitting(found, query.limit), (row) => ({ at: new Date(row.created_at), id: row.id }));
    const data = await presentAll(await rowsOf(em, page.rows), can);
    return { data, next_cursor: page.nextCursor, ...(await countOf(em, where)) };
  });
}

/** Comparing two long texts takes a while, so it yields to the event loop in between. */
async function presentAll(rows: Row[], can: boolean): Promise<WireLearning[]> {
  const yieldToEventLoop = createYielder();
  const data: WireLearning[] = [];
  for (const row of rows) {
    data.push(present(row, can));
    await yieldToEventLoop();
  }
  return data;
}

/** A cluster that is merged into another one contains only its own learnings. */
export function inCluster(where: Where, cluster: string | undefined): Where {
  if (cluster === undefined) return where;
  const at = `$${where.values.length + 1}::uuid`;
  const tree = treeOf({ cluster: at, project: '$1' });
  const text = `${where.text} and l.reason in (with recursive ${tree} select w.reason from wording w where w.project_id = $1 and w.cluster_id in (select id from tree))`;
  return { ...where, text, values: [...where.values, cluster] };
}

/** One extra row, each with its size in bytes. */
async function foundIn(
  em: Em,
  { text, values }: Where,
  { limit, cursor }: { limit: number; cursor: Cursor | null },
): Promise<{ id: string; created_at: string | Date; bytes: number }[]> {
  const [at, id, most] = [1, 2, 3].map((n) => `$${values.length + n}`);
  return rawQuery(
    em,
    `select l.id, l.created_at, octet_length(i.suggestion) + coalesce(octet_length(l.output), 0) + ${textBytes('l.response')} as bytes
     from learning l join item i on i.id = l.item_id where ${text} and (${at}::timestamptz is null or (l.created_at, l.id) < (${at}::timestamptz, ${id}::uuid))
     order by l.created_at desc, l.id desc limit ${most}`,
    [...values, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
  );
}

async function rowsOf(em: Em, page: { id: string }[]): Promise<Row[]> {
  return rawQuery<Row>(
    em,
    `select l.id, l.item_id, l.action, i.preview, i.title, i.suggestion, l.output, l.reason, l.note, l.response, i.confidence, i.risk_flags, i.model, i.source,
       l.reviewer_id, u.name as reviewer_name, u.address as reviewer_address, l.settings_version, l.guidelines_version,
       l.excluded, l.created_at
     from learning l join item i on i.id = l.item_id join app_user u on u.id = l.reviewer_id
     where l.id = any($1::uuid[]) order by l.created_at desc, l.id desc`,
    [`{${page.map(({ id }) => id).join(',')}}`],
  );
}

async function countOf(em: Em, where: Where): Promise<Pick<LearningsPage, 'total' | 'excluded'>> {
  const { text, values } = where;
  const counts = 'count(*)::int as total, (count(*) filter (where l.excluded))::int as excluded';
  const [row] = await rawQuery<{ total: number; excluded: number }>(
    em,
    `select ${counts} ${fromOf(where)} where ${text}`,
    values,
  );
  return row ?? { total: 0, excluded: 0 };
}

function present(row: Row, can: boolean): WireLearning {
  const { reviewer_address: address, reviewer_name: name, ...rest } = row;
  return {
    ...rest,
    suggestion: rawJson(row.suggestion),
    output: row.output === null ? null : rawJson(row.output),
    changes: row.output === null || !/^\s*[[{]/.test(row.suggestion) ? null : diffOf(row.suggestion, row.output).length,
    reviewer_name: displayName({ name, address }),
    created_at: new Date(row.created_at).toISOString(),
    abilities: { exclude: can },
  };
}
