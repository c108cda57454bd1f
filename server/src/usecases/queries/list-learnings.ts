// Recorded overrides of a project, newest first: all of them, or what answers a filter.
import type { Learning as WireLearning } from '@countersign/shared/api/insights';
import { displayName } from '../../domain/actor.ts';
import { spliced } from '../../domain/decision.ts';
import { Cluster } from '../../db/entities/cluster.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { nothingHere, requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { decodeCursor, toPage, type Cursor, type PageQuery } from './cursor.ts';
import { diffOf } from './json-diff.ts';
import { fromOf, whereOf, type LearningsOf, type Where } from './learning-where.ts';

export interface LearningsQuery extends LearningsOf, PageQuery {
  cluster?: string | undefined;
}

interface Row {
  id: string;
  item_id: string;
  action: 'edit' | 'reject';
  preview: string;
  suggestion: string;
  output: string | null;
  reason: string;
  note: string | null;
  confidence: number;
  risk_flags: string[];
  model: string | null;
  source: string | null;
  reviewer_id: string;
  reviewer_name: string | null;
  reviewer_address: string;
  settings_version: number;
  created_at: string | Date;
}

export interface LearningsPage {
  data: WireLearning[];
  next_cursor: string | null;
  total: number;
}

/** Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listLearnings(services: Services, actor: MemberActor, query: LearningsQuery): Promise<LearningsPage> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId: query.projectId }, 'see_learnings');
    const { cluster, projectId } = query;
    if (cluster !== undefined && (await em.count(Cluster, { id: cluster, projectId })) === 0) throw nothingHere();
    const where = inCluster(whereOf(query), cluster);
    const rows = await rowsOf(em, where, { limit: query.limit, cursor: decodeCursor(query.after) });
    const page = toPage(rows, query.limit, (row) => ({ at: new Date(row.created_at), id: row.id }));
    return { data: page.rows.map(present), next_cursor: page.nextCursor, total: await countOf(em, where) };
  });
}

/** A cluster that is merged into another one has its own learnings alone. */
function inCluster(where: Where, cluster: string | undefined): Where {
  if (cluster === undefined) return where;
  const at = `$${where.values.length + 1}::uuid`;
  const tree = `with recursive tree as (select id from cluster where id = ${at} and project_id = $1
    union all select c.id from cluster c join tree t on c.merged_into = t.id)`;
  const text = `${where.text} and l.reason in (${tree} select w.reason from wording w where w.project_id = $1 and w.cluster_id in (select id from tree))`;
  return { ...where, text, values: [...where.values, cluster] };
}

async function rowsOf(
  em: Em,
  { text, values }: Where,
  { limit, cursor }: { limit: number; cursor: Cursor | null },
): Promise<Row[]> {
  const [at, id, most] = [1, 2, 3].map((n) => `$${values.length + n}`);
  return rawQuery<Row>(
    em,
    `select l.id, l.item_id, l.action, i.preview, i.suggestion, l.output, l.reason, l.note, i.confidence, i.risk_flags, i.model, i.source,
       l.reviewer_id, u.name as reviewer_name, u.address as reviewer_address, l.settings_version, l.created_at
     from learning l join item i on i.id = l.item_id join app_user u on u.id = l.reviewer_id
     where ${text} and (${at}::timestamptz is null or (l.created_at, l.id) < (${at}::timestamptz, ${id}::uuid))
     order by l.created_at desc, l.id desc limit ${most}`,
    [...values, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
  );
}

async function countOf(em: Em, where: Where): Promise<number> {
  const { text, values } = where;
  const rows = await rawQuery<{ n: number }>(em, `select count(*)::int as n ${fromOf(where)} where ${text}`, values);
  return rows[0]?.n ?? 0;
}

function present(row: Row): WireLearning {
  const { reviewer_address: address, reviewer_name: name, ...rest } = row;
  return {
    ...rest,
    suggestion: spliced(row.suggestion),
    output: row.output === null ? null : spliced(row.output),
    changes: row.output === null || !/^\s*[[{]/.test(row.suggestion) ? null : diffOf(row.suggestion, row.output).length,
    reviewer_name: displayName({ name, address }),
    created_at: new Date(row.created_at).toISOString(),
  };
}
