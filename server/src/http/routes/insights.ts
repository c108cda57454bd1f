// The first run, learnings and analytics.
import { readFirstRun as readFirstRunEndpoint } from '@countersign/shared/api/first-run';
import * as api from '@countersign/shared/api/insights';
import { listLearnings } from '../../usecases/queries/list-learnings.ts';
import { readFirstRun } from '../../usecases/queries/read-first-run.ts';
import { readAnalytics } from '../../usecases/queries/read-analytics.ts';
import type { Services } from '../../usecases/services.ts';
import type { Binder } from '../route.ts';

export function bindInsights(bind: Binder, services: Services): void {
  bind.member(readFirstRunEndpoint, ({ actor, params }) => readFirstRun(services, actor, params.id));
  bind.member(api.listLearnings, ({ actor, params, query }) =>
    listLearnings(services, actor, { projectId: params.id, after: query.after, limit: query.limit }),
  );
  bind.member(api.readAnalytics, ({ actor, params, query }) => {
    const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
    const window = { from: time(query.from), to: time(query.to), bucket: query.bucket };
    return readAnalytics(services, actor, { projectId: params.id, ...window });
  });
}
