// Reads projects with their summaries: the queue, the reviewers, the decisions of the day and the webhook state.
import type { Role } from '@countersign/shared/enums';
import { webhookHealthOf, type WebhookHealth } from '@countersign/shared/figures';
import { Project } from '../../db/entities/project.ts';
import { User } from '../../db/entities/user.ts';
import { displayName } from '../../domain/access/actor.ts';
import { dayOf } from '../../domain/analytics/calendar.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { roleIn } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { blindOf } from './audited-projects.ts';
import { NEWEST_ACTION } from '../decisions/newest-decisions.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { OVERRIDE_ACTIONS } from '@countersign/shared/review-actions';
import { inList } from '../../db/in-list.ts';
import { ENDPOINT_STATES } from '../../db/endpoint-health.ts';
import { RETRYING } from '../../db/retrying-deliveries.ts';
import { skillPeopleOf, type SkillPerson } from './skills.ts';

export interface ProjectView {
  project: Project;
  role: Role;
  summary: ProjectSummary;
  /** The confidence of waiting items is hidden from the actor (AU3). */
  blind: boolean;
  /** The name of the person who stopped it (RT7). */
  stoppedByName: string | null;
  /** The members whom its `skills` name. */
  skillPeople: readonly SkillPerson[];
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
    memberships.map(({ project }) => project),
    now,
  );
  const names = await stoppers(em, memberships);
  const blind = await blindOf(em, new Map(memberships.map(({ project, role }) => [project.id, role])));
  const people = await skillPeopleOf(
    em,
    memberships.map(({ project }) => project),
  );
  return memberships.map(({ project, role }) => ({
    project,
    role,
    summary: summaries.get(project.id) ?? EMPTY_SUMMARY,
    blind: blind.has(project.id),
    stoppedByName: names.get(project.stoppedBy ?? '') ?? null,
    skillPeople: people.get(project.id) ?? [],
  }));
}

/** The names of the people who stopped any of these projects, by user id; usually empty. */
async function stoppers(em: Em, memberships: { project: Project }[]): Promise<Map<string, string>> {
  const ids = [...new Set(memberships.flatMap(({ project }) => project.stoppedBy ?? []))];
  if (ids.length === 0) return new Map();
  const users = await em.find(User, { id: { $in: ids } });
  return new Map(users.map(({ id, name, address }) => [id, displayName({ name: name ?? null, address })]));
}

/** A person who holds a claim. */
interface Reviewer {
  userId: string;
  name: string;
}

interface ProjectSummary {
  queued: number;
  escalated: number;
  reviewing: number;
  /** People who hold a claim, by name; the first few of `reviewerCount`. */
  reviewers: Reviewer[];
  reviewerCount: number;
  oldestAt: Date | null;
  decidedToday: number;
  overriddenToday: number;
  expiredToday: number;
  webhook: WebhookHealth;
  /** Deliveries that wait after their second failed attempt (WH10), up to `COUNT_LIMIT`. */
  retrying: number;
}

/** The summary of a project without counts. */
const EMPTY_SUMMARY: ProjectSummary = {
  queued: 0,
  escalated: 0,
  reviewing: 0,
  reviewers: [],
  reviewerCount: 0,
  oldestAt: null,
  decidedToday: 0,
  overriddenToday: 0,
  expiredToday: 0,
  webhook: 'not_set',
  retrying: 0,
};

interface ProjectSummaryRow {
  id: string;
  queued: string;
  escalated: string;
  reviewing: string | null;
  reviewers: { user_id: string; name: string | null; address: string }[] | null;
  reviewer_count: string | null;
  oldest_at: string | Date | null;
  decided: string;
  overridden: string;
  expired: string;
  has_webhook: boolean;
  paused: boolean;
  newest_arrived: boolean | null;
  retrying: string;
}

/** Counts per project: open items by index, people's decisions of the project's own day (AN6), and the state of the webhook. */
async function projectSummariesOf(em: Em, projects: Project[], now: Date): Promise<Map<string, ProjectSummary>> {
  if (projects.length === 0) return new Map();
  const ids = `{${projects.map(({ id }) => id).join(',')}}`;
  const days = projects.map(({ timeZone }) => new Date(dayOf(now.getTime(), timeZone)).toISOString());
  const rows = await em.execute<ProjectSummaryRow[]>(SUMMARY_SQL, [ids, ids, `{${days.join(',')}}`]);
  return new Map(rows.map((row) => [row.id, toProjectSummary(row)]));
}

/** Live claims are few in any database and have their own index: one pass reads them for all projects. */
const SUMMARY_SQL = `
with held as (
  select i.project_id, i.claimed_by as user_id, count(*) as items
  from item i where i.claim_expires_at is not null and i.project_id = any(?::uuid[]) group by 1, 2),
placed as (
  select h.project_id, h.user_id, h.items, u.name, u.address,
    row_number() over (partition by h.project_id order by coalesce(u.name, u.address), u.id) as place
  from held h join app_user u on u.id = h.user_id),
claims as (
  select project_id, sum(items) as reviewing, count(*) as reviewer_count,
    json_agg(json_build_object('user_id', user_id, 'name', name, 'address', address) order by place) filter (where place <= 5) as reviewers
  from placed group by 1)
select p.id, w.queued, w.escalated, c.reviewing, c.reviewers, c.reviewer_count, w.oldest_at, d.decided, d.overridden, o.expired,
  x.has_webhook, x.paused, x.newest_arrived,
  ${RETRYING} as retrying
from project p
join unnest(?::uuid[], ?::timestamptz[]) as today (project_id, begins) on today.project_id = p.id
left join claims c on c.project_id = p.id
cross join lateral (
  select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'escalated') as escalated,
    min(created_at) as oldest_at
  from item where project_id = p.id and status in ('queued', 'escalated')) w
cross join lateral (
  select count(*) as decided, count(*) filter (where ${NEWEST_ACTION} in (${inList(OVERRIDE_ACTIONS)})
      and exists (select from item i where i.id = item_id and i.has_suggestion)) as overridden
  from decision f where project_id = p.id and reviewer_id is not null and revision = 1 and decided_at >= today.begins) d
cross join lateral (
  select count(*) as expired from item where project_id = p.id and expired_at >= today.begins and not audit) o
cross join lateral (
  -- The worst of its endpoints.
  select count(*) > 0 as has_webhook, coalesce(bool_or(s.paused), false) as paused, bool_and(s.arrived) as newest_arrived
  from ${ENDPOINT_STATES} s) x`;

function toProjectSummary(row: ProjectSummaryRow): ProjectSummary {
  const retrying = Number(row.retrying);
  return {
    queued: Number(row.queued),
    escalated: Number(row.escalated),
    reviewing: Number(row.reviewing ?? 0),
    reviewers: (row.reviewers ?? []).map((user) => ({ userId: user.user_id, name: displayName(user) })),
    reviewerCount: Number(row.reviewer_count ?? 0),
    oldestAt: row.oldest_at === null ? null : new Date(row.oldest_at),
    decidedToday: Number(row.decided),
    overriddenToday: Number(row.overridden),
    expiredToday: Number(row.expired),
    retrying,
    webhook: webhookHealthOf({ set: row.has_webhook, paused: row.paused, newestArrived: row.newest_arrived, retrying }),
  };
}
