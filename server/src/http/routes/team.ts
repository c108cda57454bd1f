// The live team view and the stop switch.
import * as api from '@countersign/shared/api/team';
import { presentProject } from '../../presenters/project.ts';
import { readTeamView } from '../../usecases/analytics/read-team-view.ts';
import { readProject } from '../../usecases/projects/list-projects.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { settingsOf } from '../../usecases/projects/settings.ts';
import { releaseProject, stopProject } from '../../usecases/projects/stop-project.ts';
import type { Binder } from '../route.ts';

export function bindTeam(bind: Binder, services: Services): void {
  const shown = async (actor: MemberActor, projectId: string) => {
    const view = await readProject(services, actor, projectId);
    return presentProject(view, settingsOf(view.project));
  };
  bind.member(api.readTeamView, ({ actor, params }) => readTeamView(services, actor, params.id));
  bind.member(api.stopProject, async ({ actor, params, body }) => {
    await stopProject(services, actor, { projectId: params.id, note: body?.note ?? null });
    return shown(actor, params.id);
  });
  bind.member(api.releaseProject, async ({ actor, params }) => {
    await releaseProject(services, actor, params.id);
    return shown(actor, params.id);
  });
}
