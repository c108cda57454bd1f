// The projects a person is a member of, each with its pulse: what is going on there now.
import type { Role } from '@countersign/shared/words';
import type { Em } from '../../db/orm.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { roleIn } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';

export interface Pulse {
  waiting: number;
  escalated: number;
  reviewing: number;
  oldestAt: Date | null;
  decidedToday: number;
  overriddenToday: number;
  webhook: 'not_set' | 'waiting' | 'healthy' | 'failing' | 'paused';
}

export interface ProjectView {
  project: Project;
  role: Role;
  pulse: Pulse;
}

/** All of the actor's projects, oldest first. */
export function listProjects(services: Services, actor: MemberActor): Promise<ProjectView[]> {
  return services.db.read(async (em) => {
    const members = await em.find(Member, { userId: actor.userId });
    const roles = new Map(members.map((member) => [member.projectId, member.role]));
    const ids = [...roles.keys()];
    const projects = await em.find(
      Project,
      { id: { $in: ids }, archivedAt: null },
      { orderBy: { createdAt: 'asc', id: 'asc' } },
    );
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

const STILL: Pulse = {
  waiting: 0,
  escalated: 0,
  reviewing: 0,
  oldestAt: null,
  decidedToday: 0,
  overriddenToday: 0,
  webhook: 'not_set',
};

interface PulseRow {
  id: string;
  waiting: string;
  escalated: string;
  reviewing: string;
  oldest_at: string | Date | null;
  decided: string;
  overridden: string;
  webhook: Pulse['webhook'];
}

/** Counts per project: open items by index, people's decisions since midnight UTC, and how the webhook fares. */
async function pulsesOf(em: Em, projectIds: string[], now: Date): Promise<Map<string, Pulse>> {
  if (projectIds.length === 0) return new Map();
  const midnight = new Date(now);
  midnight.setUTCHours(0, 0, 0, 0);
  const rows = await em.execute<PulseRow[]>(PULSE_SQL, [midnight, `{${projectIds.join(',')}}`]);
  return new Map(rows.map((row) => [row.id, toPulse(row)]));
}

const PULSE_SQL = `
select p.id, w.waiting, w.escalated, w.reviewing, w.oldest_at, d.decided, d.overridden,
  case when p.webhook_url is null then 'not_set'
       when e.state = 'paused' then 'paused'
       when x.status is null then 'waiting'
       when x.status = 'succeeded' then 'healthy'
       else 'failing' end as webhook
from project p
join webhook_endpoint e on e.project_id = p.id
cross join lateral (
  select count(*) filter (where status = 'queued') as waiting, count(*) filter (where status = 'escalated') as escalated,
    count(*) filter (where claim_expires_at is not null) as reviewing, min(created_at) as oldest_at
  from item where project_id = p.id and status in ('queued', 'escalated')) w
cross join lateral (
  select count(*) as decided, count(*) filter (where action in ('edit', 'reject')) as overridden
  from decision where project_id = p.id and reviewer_id is not null and decided_at >= ?) d
left join lateral (
  select status from delivery where project_id = p.id and attempt > 0 order by created_at desc, id desc limit 1) x on true
where p.id = any(?::uuid[])`;

function toPulse(row: PulseRow): Pulse {
  return {
    waiting: Number(row.waiting),
    escalated: Number(row.escalated),
    reviewing: Number(row.reviewing),
    oldestAt: row.oldest_at === null ? null : new Date(row.oldest_at),
    decidedToday: Number(row.decided),
    overriddenToday: Number(row.overridden),
    webhook: row.webhook,
  };
}
