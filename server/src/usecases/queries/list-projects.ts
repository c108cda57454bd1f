// The projects a person is a member of, each with its pulse: what is going on there now.
import type { Role } from '@countersign/shared/words';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/actor.ts';
import type { Em } from '../../db/orm.ts';
import { roleIn } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { blindOf } from './audited-projects.ts';
import { pulsesOf, STILL, type Pulse } from './pulses.ts';

export interface ProjectView {
  project: Project;
  role: Role;
  pulse: Pulse;
  /** The confidence of what waits is kept from the actor (AU3). */
  blind: boolean;
  /** What whoever stopped it is called (RT7). */
  stoppedByName: string | null;
}

/** The actor's projects, oldest first: those that are open, or those that are archived (AR1). */
export function listProjects(
  services: Services,
  actor: MemberActor,
  { archived }: { archived: boolean } = { archived: false },
): Promise<ProjectView[]> {
  return services.db.read(async (em) => {
    const members = await em.find(Member, { userId: actor.userId });
    const roles = new Map(members.map((member) => [member.projectId, member.role]));
    const projects = await em.find(
      Project,
      { id: { $in: [...roles.keys()] }, archivedAt: archived ? { $ne: null } : null },
      { orderBy: { createdAt: 'asc', id: 'asc' } },
    );
    const rolesOf = projects.map((project) => ({ project, role: roles.get(project.id) ?? ('reviewer' as const) }));
    return views(em, rolesOf, services.clock.now());
  });
}

/** One project of the actor's, or 404. */
export function readProject(services: Services, actor: MemberActor, projectId: string): Promise<ProjectView> {
  return services.db.read(async (em) => {
    const role = await roleIn(em, actor.userId, projectId);
    const project = await em.findOneOrFail(Project, { id: projectId });
    const [view] = await views(em, [{ project, role }], services.clock.now());
    if (view === undefined) throw new Error('One project has one view.');
    return view;
  });
}

async function views(em: Em, seats: { project: Project; role: Role }[], now: Date): Promise<ProjectView[]> {
  const pulses = await pulsesOf(
    em,
    seats.map(({ project }) => project.id),
    now,
  );
  const names = await stoppers(em, seats);
  const blind = await blindOf(em, new Map(seats.map(({ project, role }) => [project.id, role])));
  return seats.map(({ project, role }) => ({
    project,
    role,
    pulse: pulses.get(project.id) ?? STILL,
    blind: blind.has(project.id),
    stoppedByName: names.get(project.stoppedBy ?? '') ?? null,
  }));
}

/** What they are called who stopped any of these projects; seldom is there one. */
async function stoppers(em: Em, seats: { project: Project }[]): Promise<Map<string, string>> {
  const ids = [...new Set(seats.flatMap(({ project }) => project.stoppedBy ?? []))];
  if (ids.length === 0) return new Map();
  const users = await em.find(User, { id: { $in: ids } });
  return new Map(users.map(({ id, name, address }) => [id, displayName({ name: name ?? null, address })]));
}
