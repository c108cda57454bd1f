// The supervisors' floor and the stop switch.
import * as api from '@countersign/shared/api/floor';
import { presentProject } from '../../presenters/project.ts';
import { readFloor } from '../../usecases/queries/read-floor.ts';
import { readProject } from '../../usecases/queries/list-projects.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { settingsOf } from '../../usecases/settings.ts';
import { releaseProject, stopProject } from '../../usecases/stop-project.ts';
import type { Binder } from '../route.ts';

export function bindFloor(bind: Binder, services: Services): void {
  const shown = async (actor: MemberActor, projectId: string) => {
    const view = await readProject(services, actor, projectId);
    return presentProject(view, settingsOf(view.project));
  };
  bind.member(api.readFloor, ({ actor, params }) => readFloor(services, actor, params.id));
  bind.member(api.stopProject, async ({ actor, params, body }) => {
    await stopProject(services, actor, { projectId: params.id, note: body?.note ?? null });
    return shown(actor, params.id);
  });
  bind.member(api.releaseProject, async ({ actor, params }) => {
    await releaseProject(services, actor, params.id);
    return shown(actor, params.id);
  });
}
