// Lists the suggestions and final outputs of the newest items of a project, to check an answer schema against them.
import { OPEN_STATUSES } from '@countersign/shared/enums';
import { inList } from '../../db/in-list.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { ItemAnswers } from '@countersign/shared/schemas/projects';
import { rawJson } from '@countersign/shared/json/json';
import type { Em } from '../../db/orm.ts';
import { requirePermission } from '../access/membership.ts';
import { decodeCursor, fitting, toPage, type PageQuery } from '../cursor.ts';
import type { MemberActor, Services } from '../services.ts';

interface Row extends Omit<ItemAnswers, 'created_at' | 'suggestion' | 'output'> {
  created_at: string | Date;
  /** JSON text. */
  suggestion: string;
  /** JSON text of the output that was sent; null where no final decision has one. */
  output: string | null;
}

interface AnswersPage {
  data: ItemAnswers[];
  next_cursor: string | null;
}

/**
 * The newest decision that the pipeline has (RV2): not a verdict of an audit (AU2), none that can still be undone (LC2), and none
 * of an audit that waits, which looks like any item that waits (AU3).
 */
const FINAL = `decision d on d.item_id = i.id and not d.audit and d.final_at is not null and d.superseded_at is null
  and not (i.audit and (i.status in (${inList(OPEN_STATUSES)}) or i.public_status is not null))`;

/** Newest first; redacted items have no texts any more (KE2). Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listAnswers(services: Services, actor: MemberActor, query: PageQuery): Promise<AnswersPage> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId: query.projectId }, 'change_settings');
    const found = await find(em, query);
    const page = toPage(found, fitting(found, query.limit), (row) => ({ at: new Date(row.created_at), id: row.id }));
    return { data: (await rowsOf(em, page.rows)).map(present), next_cursor: page.nextCursor };
  });
}

/** One extra row, each with its size in bytes. */
function find(em: Em, { projectId, after, limit }: PageQuery) {
  const cursor = decodeCursor(after);
  return rawQuery<{ id: string; created_at: string | Date; bytes: number }>(
    em,
    `select i.id, i.created_at, octet_length(i.suggestion) + coalesce(octet_length(d.output), 0) as bytes
     from item i left join ${FINAL}
     where i.project_id = $1 and i.emptied_at is null
       and ($2::timestamptz is null or (i.created_at, i.id) < ($2::timestamptz, $3::uuid))
     order by i.created_at desc, i.id desc limit $4`,
    [projectId, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
  );
}

const rowsOf = (em: Em, page: readonly { id: string }[]) =>
  rawQuery<Row>(
    em,
    `select i.id, i.preview, i.title, i.kind, i.status, i.created_at, i.suggestion, d.output
     from item i left join ${FINAL}
     where i.id = any($1::uuid[]) order by i.created_at desc, i.id desc`,
    [`{${page.map(({ id }) => id).join(',')}}`],
  );

const present = ({ created_at: createdAt, suggestion, output, ...row }: Row): ItemAnswers => ({
  ...row,
  created_at: new Date(createdAt).toISOString(),
  suggestion: rawJson(suggestion),
  ...(output !== null && { output: rawJson(output) }),
});
