// Before an export: its first lines and its size. After it: who took what (LX4).
import type { ExportFilter, ExportPreview, LearningExport } from '@countersign/shared/api/exports';
import { displayName } from '../../domain/actor.ts';
import { cutOff, portionOf } from '../export-learnings.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { countExported } from './export-rows.ts';

/** So many lines are shown; after so many learnings, or so much text, the rest is reckoned. */
const SHOWN = 3;
const LOOKED_AT = 500;
const LOOKED_BYTES = 8 * 1024 * 1024;
/** A line may be as long as an item is large. */
const SHOWN_LENGTH = 2000;
const LISTED = 20;

/** Errors: `not_found`, `forbidden`. */
export function previewExport(
  services: Services,
  actor: MemberActor,
  { projectId, filter }: { projectId: string; filter: ExportFilter },
): Promise<ExportPreview> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId }, 'see_learnings');
    const through = await cutOff(em, projectId, filter);
    const first: ReturnType<typeof beginningOf>[] = [];
    let [after, looked, lines, bytes] = [0, 0, 0, 0];
    while (after < through && looked < LOOKED_AT && bytes < LOOKED_BYTES) {
      const portion = await portionOf(em, { projectId, filter, after, through });
      first.push(...portion.lines.slice(0, SHOWN - first.length).map(beginningOf));
      bytes += portion.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      lines += portion.lines.length;
      looked += portion.looked;
      after = portion.at;
    }
    if (after >= through) return { through, first, lines, bytes, reckoned: false };
    const times = (await countExported(em, { projectId, filter, after: 0, through })) / looked;
    return { through, first, lines: Math.round(lines * times), bytes: Math.round(bytes * times), reckoned: true };
  });
}

/** No half of a character at its end. */
const beginningOf = (line: string) => ({ text: line.slice(0, SHOWN_LENGTH).toWellFormed(), length: line.length });

interface Row {
  id: string;
  filter: ExportFilter;
  lines: number | null;
  name: string | null;
  address: string | null;
  created_at: string | Date;
}

/** Errors: `not_found`, `forbidden`. */
export function listExports(services: Services, actor: MemberActor, projectId: string): Promise<LearningExport[]> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId }, 'see_learnings');
    const rows = await em.execute<Row[]>(
      `select x.id, x.filter, x.lines, u.name, u.address, x.created_at
       from learning_export x left join app_user u on u.id = x.exported_by
       where x.project_id = ? order by x.created_at desc, x.id desc limit ${LISTED}`,
      [projectId],
    );
    return rows.map(({ id, filter, lines, name, address, created_at: at }) => ({
      id,
      filter,
      lines,
      exported_by_name: address === null ? null : displayName({ name, address }),
      created_at: new Date(at).toISOString(),
    }));
  });
}
