// Lists the change log of a project, newest first (CL1).
import { Refusal } from '@countersign/shared/errors';
import type { ChangeAction, ChangeKind } from '@countersign/shared/enums';
import { ProjectChange } from '../../db/entities/project-change.ts';
import type { Em } from '../../db/orm.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { peopleNamedIn } from './skills.ts';
import { bytesOf, decodeCursor, fitting, toPage, type PageQuery } from '../cursor.ts';

export interface ChangesQuery extends PageQuery {
  action: ChangeAction | undefined;
  kind: ChangeKind | undefined;
}

/** For owners, with the present names of the people whom `skills` names (SK2). Errors: `not_found`, `forbidden`, `invalid_cursor`. */
export function listChanges(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit, action, kind }: ChangesQuery,
): Promise<{ rows: ProjectChange[]; nextCursor: string | null; people: Map<string, string> }> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'change_settings');
    const where = {
      $and: [
        { projectId, ...(await olderThan(em, { projectId, after })) },
        action === undefined ? {} : { action },
        kind === undefined ? {} : { action: { $like: `${kind}.%` } },
      ],
    };
    const rows = await em.find(ProjectChange, where, { orderBy: { position: 'desc' }, limit: limit + 1 });
    const weighed = rows.map(({ before, after: now }) => ({ bytes: bytesOf([before, now]) }));
    const page = toPage(rows, fitting(weighed, limit), (row) => ({ at: row.changedAt, id: row.id }));
    const stored = page.rows.flatMap(({ before, after: now }) => [before ?? null, now ?? null]);
    return { ...page, people: await peopleNamedIn(em, stored) };
  });
}

/** Continues after the position of the last line of the previous page: two lines of one moment have different positions. */
async function olderThan(em: Em, { projectId, after }: { projectId: string; after: string | undefined }) {
  const cursor = decodeCursor(after);
  if (cursor === null) return {};
  const last = await em.findOne(ProjectChange, { id: cursor.id, projectId });
  if (last === null)
    throw new Refusal('invalid_cursor', 'No entry of this log has this cursor. Start over without one.');
  return { position: { $lt: last.position } };
}
