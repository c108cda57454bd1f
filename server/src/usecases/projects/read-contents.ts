// Counts the contents of a project, for the owner who is about to delete it.
import type { ProjectContents } from '@countersign/shared/schemas/lifecycle';
import type { Em } from '../../db/orm.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Errors: `not_found`, `forbidden`. */
export function readContents(services: Services, actor: MemberActor, projectId: string): Promise<ProjectContents> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_project');
    return countContents(em, projectId);
  });
}

const COUNTS = {
  items: 'from item where project_id = p.id',
  waiting: `from item where project_id = p.id and status in ('queued', 'escalated')`,
  provisional: 'from decision where project_id = p.id and final_at is null',
  decisions: 'from decision where project_id = p.id',
  learnings: 'from learning where project_id = p.id',
  deliveries: 'from delivery where project_id = p.id',
  undelivered: `from delivery where project_id = p.id and status in ('pending', 'sending', 'paused')`,
  members: 'from member where project_id = p.id',
  api_keys: 'from api_key where project_id = p.id and revoked_at is null',
  inbound_sources: 'from inbound_source where project_id = p.id and removed_at is null',
  invites: 'from invite where project_id = p.id and used_at is null and revoked_at is null and expires_at > now()',
} as const satisfies Record<keyof ProjectContents, string>;

const COUNTS_SQL = `select ${Object.entries(COUNTS)
  .map(([name, from]) => `(select count(*) ${from})::int as "${name}"`)
  .join(', ')} from project p where p.id = ?`;

/** The counts of an existing project. Errors: `not_found`. */
export async function countContents(em: Em, projectId: string): Promise<ProjectContents> {
  const [row] = await em.execute<ProjectContents[]>(COUNTS_SQL, [projectId]);
  if (row === undefined) throw notFound();
  return row;
}
