// Recorded overrides of a project, newest first, and how many give each reason.
import type { Learning as WireLearning } from '@countersign/shared/api/insights';
import { displayName } from '../../domain/actor.ts';
import { spliced } from '../../domain/decision.ts';
import type { Em } from '../../db/orm.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { decodeCursor, toPage, type Cursor } from './cursor.ts';

export interface PageQuery {
  projectId: string;
  after: string | undefined;
  limit: number;
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
  reasons: { reason: string; edited: number; rejected: number }[];
}

/** Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listLearnings(services: Services, actor: MemberActor, query: PageQuery): Promise<LearningsPage> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId: query.projectId }, 'see_learnings');
    const reasons = await reasonsOf(em, query.projectId);
    const rows = await rowsOf(em, query, decodeCursor(query.after));
    const page = toPage(rows, query.limit, (row) => ({ at: new Date(row.created_at), id: row.id }));
    const total = reasons.reduce((sum, { edited, rejected }) => sum + edited + rejected, 0);
    return { data: page.rows.map(present), next_cursor: page.nextCursor, total, reasons };
  });
}

async function rowsOf(em: Em, { projectId, limit }: PageQuery, cursor: Cursor | null): Promise<Row[]> {
  return em.execute<Row[]>(
    `select l.id, l.item_id, l.action, i.preview, i.suggestion, l.output, l.reason, l.note, i.confidence, i.risk_flags, i.model, i.source,
       l.reviewer_id, u.name as reviewer_name, u.address as reviewer_address, l.settings_version, l.created_at
     from learning l join item i on i.id = l.item_id join app_user u on u.id = l.reviewer_id
     where l.project_id = ? and (?::timestamptz is null or (l.created_at, l.id) < (?::timestamptz, ?::uuid))
     order by l.created_at desc, l.id desc limit ?`,
    [projectId, cursor?.at ?? null, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
  );
}

async function reasonsOf(em: Em, projectId: string): Promise<LearningsPage['reasons']> {
  const rows = await em.execute<{ reason: string; edited: string; rejected: string }[]>(
    `select reason, count(*) filter (where action = 'edit') as edited, count(*) filter (where action = 'reject') as rejected
     from learning where project_id = ? group by reason order by count(*) desc, reason limit 200`,
    [projectId],
  );
  return rows.map((row) => ({ reason: row.reason, edited: Number(row.edited), rejected: Number(row.rejected) }));
}

function present(row: Row): WireLearning {
  const { reviewer_address: address, reviewer_name: name, ...rest } = row;
  return {
    ...rest,
    suggestion: spliced(row.suggestion),
    output: row.output === null ? null : spliced(row.output),
    reviewer_name: displayName({ name, address }),
    created_at: new Date(row.created_at).toISOString(),
  };
}
