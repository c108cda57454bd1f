// The first run, learnings and analytics.
import { readFirstRun as readFirstRunEndpoint } from '@countersign/shared/api/first-run';
import * as clusters from '@countersign/shared/api/clusters';
import * as exported from '@countersign/shared/api/exports';
import * as api from '@countersign/shared/api/insights';
import { exportLearnings } from '../../usecases/export-learnings.ts';
import { listClusters } from '../../usecases/queries/list-clusters.ts';
import { listExports, previewExport } from '../../usecases/queries/list-exports.ts';
import { listLearnings } from '../../usecases/queries/list-learnings.ts';
import { readFirstRun } from '../../usecases/queries/read-first-run.ts';
import { readAnalytics } from '../../usecases/queries/read-analytics.ts';
import { shapeCluster } from '../../usecases/shape-cluster.ts';
import type { Services } from '../../usecases/services.ts';
import { Download } from '../download.ts';
import type { Binder } from '../route.ts';

export function bindInsights(bind: Binder, services: Services): void {
  bind.member(readFirstRunEndpoint, ({ actor, params }) => readFirstRun(services, actor, params.id));
  bind.member(api.listLearnings, ({ actor, params, query: { after, limit, cluster, ...filter } }) =>
    listLearnings(services, actor, { projectId: params.id, filter, cluster, after, limit }),
  );
  bind.member(clusters.listClusters, ({ actor, params, query: { after, limit, ...filter } }) =>
    listClusters(services, actor, { projectId: params.id, filter, after, limit }),
  );
  bind.member(clusters.changeCluster, ({ actor, params, body }) =>
    shapeCluster(services, actor, { projectId: params.id, clusterId: params.cluster_id, change: body }),
  );
  bind.member(exported.exportLearnings, async ({ actor, params, query: { skip, ...filter } }) => {
    const { id, through, lines } = await exportLearnings(services, actor, { projectId: params.id, filter, skip });
    return new Download(
      { name: `learnings-${filter.format}-${id}.jsonl`, type: 'application/jsonl', chunks: lines },
      {
        'x-export-id': id,
        'x-export-through': String(through),
      },
    );
  });
  bind.member(exported.previewExport, ({ actor, params, query }) =>
    previewExport(services, actor, { projectId: params.id, filter: query }),
  );
  bind.member(exported.listExports, async ({ actor, params }) => ({
    data: await listExports(services, actor, params.id),
    next_cursor: null,
  }));
  bind.member(api.readAnalytics, ({ actor, params, query }) => {
    const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
    const window = { from: time(query.from), to: time(query.to), bucket: query.bucket };
    return readAnalytics(services, actor, { projectId: params.id, ...window });
  });
}
