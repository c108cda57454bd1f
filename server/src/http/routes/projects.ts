// Projects: settings, API keys, onboarding, lifecycle, change log, guidelines, and the live team view with its stop.
import * as api from '@countersign/shared/routes/projects';
import * as lifecycle from '@countersign/shared/routes/lifecycle';
import * as changes from '@countersign/shared/routes/changes';
import * as guidelines from '@countersign/shared/routes/guidelines';
import * as onboarding from '@countersign/shared/routes/onboarding';
import type { Guidelines, GuidelinesNews, GuidelinesVersion } from '@countersign/shared/schemas/guidelines';
import * as team from '@countersign/shared/routes/team';
import { presentPreview } from '../../presenters/item.ts';
import { forecastSkills as forecastSkillsEndpoint, previewItem } from '@countersign/shared/routes/previews';
import { presentApiKey, presentChange, presentProject } from '../../presenters/project.ts';
import { createApiKey, revokeApiKey } from '../../usecases/credentials/api-keys.ts';
import { changeSettings } from '../../usecases/projects/change-settings.ts';
import { forecastSkills } from '../../usecases/projects/forecast-skills.ts';
import { createProject } from '../../usecases/projects/create-project.ts';
import { listApiKeys } from '../../usecases/access/list-members.ts';
import { listAnswers } from '../../usecases/items/list-answers.ts';
import { previewItem as readPreview } from '../../usecases/items/preview-item.ts';
import { listProjects, readProject, type ProjectView } from '../../usecases/projects/list-projects.ts';
import type { Services, MemberActor } from '../../usecases/services.ts';
import { settingsOf } from '../../usecases/projects/settings.ts';
import { refuseLargeItem, refuseOtherProject, toSubmitInput } from '../request/read-submission.ts';
import { definedOf } from '../request/defined-of.ts';
import type { Binder } from '../route.ts';
import { archiveProject, deleteProject, restoreProject } from '../../usecases/projects/lifecycle.ts';
import { readOnboarding } from '../../usecases/projects/read-onboarding.ts';
import { hideReadiness, readReadiness } from '../../usecases/projects/read-readiness.ts';
import { readContents } from '../../usecases/projects/read-contents.ts';
import { listChanges } from '../../usecases/projects/list-changes.ts';
import {
  listGuidelinesNews,
  listGuidelinesVersions,
  readGuidelines,
  seeGuidelines,
  type GuidelinesNewsRow,
  type GuidelinesRow,
  type GuidelinesVersionRow,
} from '../../usecases/projects/guidelines.ts';
import { displayName } from '../../domain/access/actor.ts';
import { readTeamView } from '../../usecases/analytics/read-team-view.ts';
import { removeSamples } from '../../usecases/projects/samples.ts';
import { releaseProject, stopProject } from '../../usecases/projects/stop-project.ts';

const present = (view: ProjectView) => presentProject(view, settingsOf(view.project));

/** A project as it is now, which is what a change of it returns. */
const shown = async (services: Services, actor: MemberActor, projectId: string) =>
  present(await readProject(services, actor, projectId));

export function bindProjects(bind: Binder, services: Services): void {
  bindSettings(bind, services);
  bindKeys(bind, services);
  bindOnboarding(bind, services);
}

function bindSettings(bind: Binder, services: Services): void {
  bind.member(api.listProjects, async ({ actor, query }) => {
    const { archived, after, limit } = query;
    const page = await listProjects(services, actor, { archived: archived === 'true', after, limit });
    return { data: page.rows.map(present), next_cursor: page.nextCursor };
  });
  bind.member(api.createProject, async ({ actor, body, raw }) => {
    const id = await createProject(services, actor, definedOf(withSchemaText(body, raw)));
    return shown(services, actor, id);
  });
  bind.member(api.readProject, ({ actor, params }) => shown(services, actor, params.id));
  bind.member(api.changeProject, async ({ actor, params, body, raw }) => {
    const { settings_version: settingsVersion, notifications, ...changes } = withSchemaText(body, raw);
    const change = { projectId: params.id, settingsVersion, changes: definedOf(changes) };
    await changeSettings(services, actor, { ...change, ...(notifications && { notifications }) });
    return shown(services, actor, params.id);
  });
  bind.member(previewItem, async ({ actor, params, body, raw, bytes }) => {
    refuseLargeItem(bytes?.length ?? 0);
    refuseOtherProject(body.project_id ?? params.id, { projectId: params.id });
    const input = toSubmitInput(body, raw);
    return presentPreview(await readPreview(services, actor, { projectId: params.id, input }), actor.userId);
  });
  bind.member(forecastSkillsEndpoint, ({ actor, params, body }) =>
    forecastSkills(services, actor, { projectId: params.id, rules: body }),
  );
  bind.member(api.listAnswers, ({ actor, params, query: { after, limit } }) =>
    listAnswers(services, actor, { projectId: params.id, after, limit }),
  );
}

/** The answer schema is stored as the text that was sent. */
function withSchemaText<T extends { answer_schema?: unknown }>(
  { answer_schema: schema, ...body }: T,
  raw: Map<string, string>,
): Omit<T, 'answer_schema'> & { answer_schema: string | null | undefined } {
  return { ...body, answer_schema: schema === null ? null : raw.get('answer_schema') };
}

function bindKeys(bind: Binder, services: Services): void {
  bind.member(api.listApiKeys, async ({ actor, params }) => {
    const keys = await listApiKeys(services, actor, params.id);
    return {
      data: keys.map(({ key, maker }) => presentApiKey(key, maker && { ...maker, userId: maker.id })),
      next_cursor: null,
    };
  });
  bind.member(api.createApiKey, async ({ actor, params, body }) => {
    const name = body?.name ?? 'API key';
    const expiresAt = body?.expires_at ? new Date(body.expires_at) : null;
    const made = { projectId: params.id, name, scopes: body?.scopes, expiresAt };
    const { key, text } = await createApiKey(services, actor, made);
    return { ...presentApiKey(key, actor), api_key: text };
  });
  bind.member(api.revokeApiKey, async ({ actor, params }) => {
    await revokeApiKey(services, actor, { projectId: params.id, keyId: params.key_id });
    return undefined;
  });
}

function bindOnboarding(bind: Binder, services: Services): void {
  bind.member(onboarding.readOnboarding, ({ actor, params }) => readOnboarding(services, actor, params.id));
  bind.member(onboarding.readReadiness, ({ actor, params }) => readReadiness(services, actor, params.id));
  bind.member(onboarding.hideReadiness, async ({ actor, params }) => {
    await hideReadiness(services, actor, params.id);
    return undefined;
  });
}

export function bindLifecycle(bind: Binder, services: Services): void {
  bind.member(lifecycle.readContents, ({ actor, params }) => readContents(services, actor, params.id));
  bind.member(lifecycle.archiveProject, async ({ actor, params }) => {
    await archiveProject(services, actor, params.id);
    return shown(services, actor, params.id);
  });
  bind.member(lifecycle.restoreProject, async ({ actor, params }) => {
    await restoreProject(services, actor, params.id);
    return shown(services, actor, params.id);
  });
  bind.member(lifecycle.removeSamples, async ({ actor, params }) => {
    await removeSamples(services, actor, params.id);
    return shown(services, actor, params.id);
  });
  bind.member(lifecycle.deleteProject, async ({ actor, params }) => {
    await deleteProject(services, actor, params.id);
    return undefined;
  });
}

export function bindChanges(bind: Binder, services: Services): void {
  bind.member(changes.listChanges, async ({ actor, params, query }) => {
    const { after, limit, action, kind } = query;
    const page = await listChanges(services, actor, { projectId: params.id, after, limit, action, kind });
    return { data: page.rows.map((row) => presentChange(row, page.people)), next_cursor: page.nextCursor };
  });
}

export function bindGuidelines(bind: Binder, services: Services): void {
  bind.member(guidelines.readGuidelines, async ({ actor, params }) =>
    presentGuidelines(await readGuidelines(services, actor, params.id)),
  );
  bind.member(guidelines.listGuidelinesVersions, async ({ actor, params, query }) => {
    const page = await listGuidelinesVersions(services, actor, { projectId: params.id, ...query, after: query.after });
    return { data: page.rows.map(presentGuidelinesVersion), next_cursor: page.nextCursor };
  });
  bind.member(guidelines.seeGuidelines, async ({ actor, params, body }) => {
    await seeGuidelines(services, actor, { projectId: params.id, version: body.version });
    return undefined;
  });
  bind.member(guidelines.listGuidelinesNews, async ({ actor }) => {
    const news = await listGuidelinesNews(services, actor);
    return { data: news.map(presentGuidelinesNews), next_cursor: null };
  });
}

function presentGuidelinesVersion(row: GuidelinesVersionRow): GuidelinesVersion {
  const { version, text, changed_at, changed_by, name, address } = row;
  const author = changed_by !== null &&
    address !== null && { user_id: changed_by, name: displayName({ name, address }) };
  return { version, text, changed_at: new Date(changed_at).toISOString(), changed_by: author || null };
}

function presentGuidelines(row: GuidelinesRow): Guidelines {
  return { ...presentGuidelinesVersion(row), seen_version: row.seen_version, seen_text: row.seen_text };
}

function presentGuidelinesNews(row: GuidelinesNewsRow): GuidelinesNews {
  const { project_id, project_name, seen_text } = row;
  return { ...presentGuidelines(row), project_id, project_name, seen_text };
}

export function bindTeam(bind: Binder, services: Services): void {
  bind.member(team.readTeamView, ({ actor, params }) => readTeamView(services, actor, params.id));
  bind.member(team.stopProject, async ({ actor, params, body }) => {
    await stopProject(services, actor, { projectId: params.id, note: body?.note ?? null });
    return shown(services, actor, params.id);
  });
  bind.member(team.releaseProject, async ({ actor, params }) => {
    await releaseProject(services, actor, params.id);
    return shown(services, actor, params.id);
  });
}
