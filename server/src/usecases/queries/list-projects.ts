// The projects a person is a member of, each with its pulse: what is going on there now.
import type { Role } from '@countersign/shared/words';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { roleIn } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { pulsesOf, STILL, type Pulse } from './pulses.ts';

export interface ProjectView {
  project: Project;
  role: Role;
  pulse: Pulse;
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
    const ids = projects.map(({ id }) => id);
    const pulses = await pulsesOf(em, ids, services.clock.now());
    return projects.map((project) => view(project, roles.get(project.id) ?? 'reviewer', pulses));
  });
}

/** One project of the actor's, or 404. */
export function readProject(services: Services, actor: MemberActor, projectId: string): Promise<ProjectView> {
  return services.db.read(async (em) => {
    const role = await roleIn(em, actor.userId, projectId);
    const project = await em.findOneOrFail(Project, { id: projectId });
    return view(project, role, await pulsesOf(em, [projectId], services.clock.now()));
  });
}

function view(project: Project, role: Role, pulses: Map<string, Pulse>): ProjectView {
  return { project, role, pulse: pulses.get(project.id) ?? STILL };
}
