// The change log of a project.
import * as api from '@countersign/shared/api/changes';
import { presentChange } from '../../presenters/change.ts';
import { listChanges } from '../../usecases/projects/list-changes.ts';
import type { Services } from '../../usecases/services.ts';
import type { Binder } from '../route.ts';

export function bindChanges(bind: Binder, services: Services): void {
  bind.member(api.listChanges, async ({ actor, params, query }) => {
    const { after, limit, action, kind } = query;
    const page = await listChanges(services, actor, { projectId: params.id, after, limit, action, kind });
    return { data: page.rows.map(presentChange), next_cursor: page.nextCursor };
  });
}
