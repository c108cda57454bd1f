// Learnings, analytics and the delivery log.
import * as api from '@countersign/shared/api/insights';
import { presentDelivery } from '../../presenters/delivery.ts';
import { listDeliveries } from '../../usecases/queries/list-deliveries.ts';
import { listLearnings } from '../../usecases/queries/list-learnings.ts';
import { readAnalytics } from '../../usecases/queries/read-analytics.ts';
import type { Services } from '../../usecases/services.ts';
import type { Binder } from '../route.ts';

export function bindInsights(bind: Binder, services: Services): void {
  bind.member(api.listLearnings, ({ actor, params, query }) =>
    listLearnings(services, actor, { projectId: params.id, after: query.after, limit: query.limit }),
  );
  bind.member(api.readAnalytics, ({ actor, params, query }) => {
    const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
    const window = { from: time(query.from), to: time(query.to), bucket: query.bucket };
    return readAnalytics(services, actor, { projectId: params.id, ...window });
  });
  bind.member(api.listDeliveries, async ({ actor, params, query }) => {
    const page = await listDeliveries(services, actor, {
      projectId: params.id,
      after: query.after,
      limit: query.limit,
    });
    return { data: page.rows.map(presentDelivery), next_cursor: page.nextCursor };
  });
}
