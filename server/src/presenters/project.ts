// Presents projects, keys and members in the wire format. Secrets have no presenter: they are shown once, on creation.
import type {
  ApiKey as WireApiKey,
  Member as WireMember,
  Project as WireProject,
} from '@countersign/shared/schemas/projects';
import type { ProjectSettings } from '@countersign/shared/settings';
import type { Skill } from '@countersign/shared/skills';
import type { Role } from '@countersign/shared/enums';
import type { ProjectChange as WireChange } from '@countersign/shared/schemas/changes';
import { displayName } from '../domain/access/actor.ts';
import { may, projectAbilities } from '../domain/access/permissions.ts';
import { memberAbilities, type MemberView } from '../domain/access/pool.ts';
import type { ApiKey } from '../db/entities/api-key.ts';
import type { Project } from '../db/entities/project.ts';
import type { User } from '../db/entities/user.ts';
import { rawJson } from '@countersign/shared/json/json';
import { settingsOf } from '../domain/stored-names.ts';
import type { ProjectChange } from '../db/entities/project-change.ts';

interface ProjectSummary {
  queued: number;
  escalated: number;
  reviewing: number;
  reviewers: { userId: string; name: string }[];
  reviewerCount: number;
  oldestAt: Date | null;
  decidedToday: number;
  overriddenToday: number;
  expiredToday: number;
  webhook: WireProject['summary']['webhook'];
  retrying: number;
}

interface View {
  project: Project;
  role: Role;
  summary: ProjectSummary;
  blind: boolean;
  stoppedByName: string | null;
  skillPeople: readonly { userId: string; name: string }[];
}

export function presentProject(
  { project, role, summary, blind, stoppedByName, skillPeople }: View,
  settings: ProjectSettings,
): WireProject {
  return {
    id: project.id,
    ...settings,
    answer_schema: settings.answer_schema === null ? null : rawJson(settings.answer_schema),
    ...(blind ? { auto_threshold: null, review_threshold: null } : {}),
    settings_version: project.settingsVersion,
    created_at: project.createdAt.toISOString(),
    archived_at: project.archivedAt?.toISOString() ?? null,
    skill_people: skillPeople.map(({ userId, name }) => ({ user_id: userId, name })),
    over_budget_since: project.overBudgetSince?.toISOString() ?? null,
    hides_confidence: blind,
    notifications: may(role, 'manage_webhook') ? project.notifications : null,
    stopped: presentStop(project, stoppedByName),
    samples: project.samples ?? null,
    role,
    abilities: projectAbilities(role, Boolean(project.archivedAt)),
    summary: {
      queued: summary.queued,
      escalated: summary.escalated,
      reviewing: summary.reviewing,
      reviewers: summary.reviewers.map(({ userId, name }) => ({ user_id: userId, name })),
      reviewer_count: summary.reviewerCount,
      oldest_at: summary.oldestAt?.toISOString() ?? null,
      decided_today: summary.decidedToday,
      overridden_today: summary.overriddenToday,
      expired_today: summary.expiredToday,
      webhook: summary.webhook,
      retrying: summary.retrying,
    },
    seq: project.eventSeq,
  };
}

function presentStop({ stoppedAt, stopNote }: Project, name: string | null): WireProject['stopped'] {
  return stoppedAt ? { at: stoppedAt.toISOString(), by_name: name, note: stopNote ?? null } : null;
}

interface Maker {
  userId: string;
  name?: string | null;
  address: string;
}

/** An API key, and who created it. */
export function presentApiKey(key: ApiKey, maker: Maker | null): WireApiKey {
  return {
    id: key.id,
    name: key.name,
    last4: key.last4,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    created_by: maker && {
      user_id: maker.userId,
      name: displayName({ name: maker.name ?? null, address: maker.address }),
    },
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    abilities: { revoke: !key.revokedAt },
  };
}

/** A member as `viewer` sees them, in a project with these owners who are not blocked. */
export function presentMember(
  { user, role, holding }: { user: User; role: Role; holding: number },
  { viewer, owners, archived }: Omit<MemberView, 'member'>,
): WireMember {
  const abilities = memberAbilities({ viewer, member: { userId: user.id, role }, owners, archived });
  return { user_id: user.id, address: user.address, name: user.name ?? null, role, holding, abilities };
}

/** Names are those of that time. The log stores the people of `skills` as IDs: `people` has their present names by ID. */
export function presentChange(change: ProjectChange, people: ReadonlyMap<string, string>): WireChange {
  const valuesOf = (stored: Readonly<Record<string, unknown>> | null | undefined) =>
    stored ? withNames(settingsOf(stored), people) : null;
  return {
    id: change.id,
    action: change.action,
    subject: change.subject ?? null,
    subject_id: change.subjectId ?? null,
    before: valuesOf(change.before),
    after: valuesOf(change.after),
    changed_by: { user_id: change.changedBy ?? null, name: change.changedByName },
    changed_at: change.changedAt.toISOString(),
  };
}

/** Entries of `skills` with the names of their people (SK2). */
function withNames(values: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> {
  if (!Array.isArray(values.skills)) return values;
  const skills = (values.skills as Skill[]).map((skill) => ({
    ...skill,
    people: skill.people.map((id) => names.get(id) ?? id),
  }));
  return { ...values, skills };
}
