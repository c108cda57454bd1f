// Previews an export with its first lines and its size, and lists the exports of a project (LX4).
import type { ExportFilter, ExportPreview, LearningExport } from '@countersign/shared/schemas/exports';
import { rawQuery } from '../../db/raw-query.ts';
import { displayName } from '../../domain/access/actor.ts';
import { nextExportLines } from './export-learnings.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { commonestReasons } from './cluster-roots.ts';
import { decodeCursor, toPage, type PageQuery } from '../cursor.ts';
import { countExported } from './export-rows.ts';
import { spanOf } from './export-span.ts';

/** How many lines are shown. After `MAX_EXAMINED` learnings, or so many bytes, the rest is estimated. */
const SHOWN = 3;
const MAX_EXAMINED = 500;
const MAX_EXAMINED_BYTES = 8 * 1024 * 1024;
/** The maximum length of a shown line, since a line can be as long as an item is large. */
const SHOWN_LENGTH = 2000;

/** Errors: `not_found`, `forbidden`, `validation_failed` where its cluster was changed (LX6). */
export function previewExport(
  services: Services,
  actor: MemberActor,
  { projectId, filter }: { projectId: string; filter: ExportFilter },
): Promise<ExportPreview> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const whole = await spanOf(em, projectId, filter);
    const { through } = whole;
    const first: ReturnType<typeof beginningOf>[] = [];
    let [after, examined, lines, bytes] = [0, 0, 0, 0];
    while (after < through && examined < MAX_EXAMINED && bytes < MAX_EXAMINED_BYTES) {
      const batch = await nextExportLines(em, { ...whole, after });
      first.push(...batch.lines.slice(0, SHOWN - first.length).map(beginningOf));
      bytes += batch.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      lines += batch.lines.length;
      examined += batch.examined;
      after = batch.at;
    }
    if (after >= through) return { through, first, lines, bytes, estimated: false };
    const times = (await countExported(em, whole)) / examined;
    return { through, first, lines: Math.round(lines * times), bytes: Math.round(bytes * times), estimated: true };
  });
}

/** Never ends with half a character. */
const beginningOf = (line: string) => ({ text: line.slice(0, SHOWN_LENGTH).toWellFormed(), length: line.length });

interface Row {
  id: string;
  filter: ExportFilter;
  cluster: string | null;
  cluster_name: string | null;
  lines: number | null;
  name: string | null;
  address: string | null;
  created_at: string | Date;
}

/** Newest first. Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listExports(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit }: PageQuery,
): Promise<{ rows: LearningExport[]; nextCursor: string | null }> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'see_learnings');
    const cursor = decodeCursor(after);
    const found = await rawQuery<Row>(
      em,
      `select x.id, x.filter, c.id as cluster, c.name as cluster_name, x.lines, u.name, u.address, x.created_at
       from learning_export x left join app_user u on u.id = x.exported_by
       left join cluster c on c.id = (x.filter ->> 'cluster')::uuid and c.project_id = x.project_id
       where x.project_id = $1 and ($2::timestamptz is null or (x.created_at, x.id) < ($2::timestamptz, $3::uuid))
       order by x.created_at desc, x.id desc limit $4`,
      [projectId, cursor?.at ?? null, cursor?.id ?? null, limit + 1],
    );
    const page = toPage(found, limit, ({ created_at: at, id }) => ({ at: new Date(at), id }));
    const named = new Set(page.rows.flatMap(({ cluster }) => cluster ?? []));
    const reasons = await commonestReasons(em, [...named]);
    const rows = page.rows.map(({ id, filter, cluster, cluster_name, lines, name, address, created_at: at }) => ({
      id,
      filter,
      cluster_name: cluster === null ? null : (cluster_name ?? reasons.get(cluster) ?? ''),
      lines,
      exported_by_name: address === null ? null : displayName({ name, address }),
      created_at: new Date(at).toISOString(),
    }));
    return { rows, nextCursor: page.nextCursor };
  });
}
