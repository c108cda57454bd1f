// Projects, their settings and keys.
import * as api from '@countersign/shared/api/projects';
import { presentApiKey, presentProject } from '../../presenters/project.ts';
import { createApiKey, revokeApiKey } from '../../usecases/credentials/api-keys.ts';
import { changeSettings } from '../../usecases/projects/change-settings.ts';
import { createProject } from '../../usecases/projects/create-project.ts';
import { listApiKeys } from '../../usecases/access/list-members.ts';
import { listProjects, readProject, type ProjectView } from '../../usecases/projects/list-projects.ts';
import type { Services } from '../../usecases/services.ts';
import { settingsOf } from '../../usecases/projects/settings.ts';
import type { Binder } from '../route.ts';

const present = (view: ProjectView) => presentProject(view, settingsOf(view.project));

export function bindProjects(bind: Binder, services: Services): void {
  bindSettings(bind, services);
  bindKeys(bind, services);
}

function bindSettings(bind: Binder, services: Services): void {
  bind.member(api.listProjects, async ({ actor, query }) => {
    const { archived, after, limit } = query;
    const page = await listProjects(services, actor, { archived: archived === 'true', after, limit });
    return { data: page.rows.map(present), next_cursor: page.nextCursor };
  });
  bind.member(api.createProject, async ({ actor, body }) => {
    const id = await createProject(services, actor, definedOf(body));
    return present(await readProject(services, actor, id));
  });
  bind.member(api.readProject, async ({ actor, params }) => present(await readProject(services, actor, params.id)));
  bind.member(api.changeProject, async ({ actor, params, body }) => {
    const { settings_version: settingsVersion, ...changes } = body;
    await changeSettings(services, actor, { projectId: params.id, settingsVersion, changes: definedOf(changes) });
    return present(await readProject(services, actor, params.id));
  });
}

/** The members that were sent: omitted ones must not overwrite. */
function definedOf<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
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
