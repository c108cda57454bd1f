// Guidelines: the text, its versions, and who has seen which.
import * as api from '@countersign/shared/api/guidelines';
import { presentGuidelines, presentGuidelinesNews, presentGuidelinesVersion } from '../../presenters/guidelines.ts';
import { listGuidelinesNews, listGuidelinesVersions, readGuidelines } from '../../usecases/projects/read-guidelines.ts';
import { seeGuidelines } from '../../usecases/projects/see-guidelines.ts';
import type { Services } from '../../usecases/services.ts';
import type { Binder } from '../route.ts';

export function bindGuidelines(bind: Binder, services: Services): void {
  bind.member(api.readGuidelines, async ({ actor, params }) =>
    presentGuidelines(await readGuidelines(services, actor, params.id)),
  );
  bind.member(api.listGuidelinesVersions, async ({ actor, params, query }) => {
    const page = await listGuidelinesVersions(services, actor, { projectId: params.id, ...query, after: query.after });
    return { data: page.rows.map(presentGuidelinesVersion), next_cursor: page.nextCursor };
  });
  bind.member(api.seeGuidelines, async ({ actor, params, body }) => {
    await seeGuidelines(services, actor, { projectId: params.id, version: body.version });
    return undefined;
  });
  bind.member(api.listGuidelinesNews, async ({ actor }) => {
    const news = await listGuidelinesNews(services, actor);
    return { data: news.map(presentGuidelinesNews), next_cursor: null };
  });
}
