// Lists the projects a person is a member of, each with its project summary.
import type { Role } from '@countersign/shared/enums';
import { Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/access/actor.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { roleIn } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { blindOf } from './audited-projects.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { projectSummariesOf, EMPTY_SUMMARY, type ProjectSummary } from './project-summary.ts';

export interface ProjectView {
  project: Project;
  role: Role;
  summary: ProjectSummary;
  /** The confidence of waiting items is hidden from the actor (AU3). */
  blind: boolean;
  /** The name of the person who stopped it (RT7). */
  stoppedByName: string | null;
}

export interface ProjectsQuery {
  /** Archived projects (AR1) instead of open ones. */
  archived?: boolean;
  after?: string | undefined;
  limit?: number;
}

/** The default length of a page. */
const PAGE = 100;

/** A page of the actor's projects, oldest first. Errors: `invalid_cursor`. */
export function listProjects(
  services: Services,
  actor: MemberActor,
  { archived = false, after, limit = PAGE }: ProjectsQuery = {},
): Promise<{ rows: ProjectView[]; nextCursor: string | null }> {
  return services.db.read(async (em) => {
    const from = decodeCursor(after);
    const memberships = await rawQuery<{ id: string; role: Role; created_at: string | Date }>(
      em,
      `select p.id, m.role, p.created_at from member m join project p on p.id = m.project_id
       where m.user_id = $1 and p.deleted_at is null and (p.archived_at is not null) = $2
         and ($3::timestamptz is null or (p.created_at, p.id) > ($3::timestamptz, $4::uuid))
       order by p.created_at, p.id limit $5`,
      [actor.userId, archived, from?.at ?? null, from?.id ?? null, limit + 1],
    );
    const page = toPage(memberships, limit, ({ id, created_at }) => ({ at: new Date(created_at), id }));
    const projects = await em.find(Project, { id: { $in: page.rows.map(({ id }) => id) } });
    const found = new Map(projects.map((project) => [project.id, project]));
    // A project that was deleted between the two queries is omitted.
    const rolesOf = page.rows.flatMap(({ id, role }) => {
      const project = found.get(id);
      return project === undefined ? [] : [{ project, role }];
    });
    return { rows: await views(em, rolesOf, services.clock.now()), nextCursor: page.nextCursor };
  });
}

/** One of the actor's projects, or 404. */
export function readProject(services: Services, actor: MemberActor, projectId: string): Promise<ProjectView> {
  return services.db.read(async (em) => {
    const role = await roleIn(em, actor.userId, projectId);
    const project = await em.findOneOrFail(Project, { id: projectId });
    const [view] = await views(em, [{ project, role }], services.clock.now());
    if (view === undefined) throw new Error('One project has one view.');
    return view;
  });
}

async function views(em: Em, memberships: { project: Project; role: Role }[], now: Date): Promise<ProjectView[]> {
  const summaries = await projectSummariesOf(
    em,
    memberships.map(({ project }) => project.id),
    now,
  );
  const names = await stoppers(em, memberships);
  const blind = await blindOf(em, new Map(memberships.map(({ project, role }) => [project.id, role])));
  return memberships.map(({ project, role }) => ({
    project,
    role,
    summary: summaries.get(project.id) ?? EMPTY_SUMMARY,
    blind: blind.has(project.id),
    stoppedByName: names.get(project.stoppedBy ?? '') ?? null,
  }));
}

/** The names of the people who stopped any of these projects, by user id; usually empty. */
async function stoppers(em: Em, memberships: { project: Project }[]): Promise<Map<string, string>> {
  const ids = [...new Set(memberships.flatMap(({ project }) => project.stoppedBy ?? []))];
  if (ids.length === 0) return new Map();
  const users = await em.find(User, { id: { $in: ids } });
  return new Map(users.map(({ id, name, address }) => [id, displayName({ name: name ?? null, address })]));
}
