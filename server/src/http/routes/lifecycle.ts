// Archiving, restoring and deleting a project.
import * as api from '@countersign/shared/api/lifecycle';
import { presentProject } from '../../presenters/project.ts';
import { archiveProject, deleteProject, restoreProject } from '../../usecases/projects/lifecycle.ts';
import { readProject } from '../../usecases/projects/list-projects.ts';
import { readContents } from '../../usecases/projects/read-contents.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { settingsOf } from '../../usecases/projects/settings.ts';
import type { Binder } from '../route.ts';

export function bindLifecycle(bind: Binder, services: Services): void {
  const shown = async (actor: MemberActor, projectId: string) => {
    const view = await readProject(services, actor, projectId);
    return presentProject(view, settingsOf(view.project));
  };
  bind.member(api.readContents, ({ actor, params }) => readContents(services, actor, params.id));
  bind.member(api.archiveProject, async ({ actor, params }) => {
    await archiveProject(services, actor, params.id);
    return shown(actor, params.id);
  });
  bind.member(api.restoreProject, async ({ actor, params }) => {
    await restoreProject(services, actor, params.id);
    return shown(actor, params.id);
  });
  bind.member(api.deleteProject, async ({ actor, params }) => {
    await deleteProject(services, actor, params.id);
    return undefined;
  });
}
