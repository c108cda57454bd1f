// The first run, learnings and analytics.
import { readFirstRun as readFirstRunEndpoint } from '@countersign/shared/api/first-run';
import * as clusters from '@countersign/shared/api/clusters';
import * as exported from '@countersign/shared/api/exports';
import { readAnalytics as readAnalyticsEndpoint } from '@countersign/shared/api/analytics';
import { readAudits as readAuditsEndpoint } from '@countersign/shared/api/audits';
import * as api from '@countersign/shared/api/insights';
import * as line from '@countersign/shared/api/thresholds';
import { excludeLearning } from '../../usecases/exclude-learning.ts';
import { exportLearnings } from '../../usecases/export-learnings.ts';
import { listClusters } from '../../usecases/queries/list-clusters.ts';
import { listExports, previewExport } from '../../usecases/queries/list-exports.ts';
import { listLearningValues } from '../../usecases/queries/list-learning-values.ts';
import { listLearnings } from '../../usecases/queries/list-learnings.ts';
import { readCalibration } from '../../usecases/queries/read-calibration.ts';
import { listWordings, readCluster } from '../../usecases/queries/read-cluster.ts';
import { readFirstRun } from '../../usecases/queries/read-first-run.ts';
import { readAudits } from '../../usecases/queries/read-audits.ts';
import { readAnalytics } from '../../usecases/queries/read-analytics.ts';
import { readThresholds } from '../../usecases/queries/read-thresholds.ts';
import { shapeCluster } from '../../usecases/shape-cluster.ts';
import type { Services } from '../../usecases/services.ts';
import { Download } from '../download.ts';
import type { Binder } from '../route.ts';

export function bindInsights(bind: Binder, services: Services): void {
  bind.member(readFirstRunEndpoint, ({ actor, params }) => readFirstRun(services, actor, params.id));
  bind.member(api.listLearnings, ({ actor, params, query: { after, limit, cluster, ...filter } }) =>
    listLearnings(services, actor, { projectId: params.id, filter, cluster, after, limit }),
  );
  bind.member(api.changeLearning, ({ actor, params, body }) =>
    excludeLearning(services, actor, { projectId: params.id, learningId: params.learning_id, ...body }),
  );
  bind.member(api.listLearningValues, ({ actor, params }) => listLearningValues(services, actor, params.id));
  bind.member(clusters.readCluster, ({ actor, params }) =>
    readCluster(services, actor, { projectId: params.id, clusterId: params.cluster_id }),
  );
  bind.member(clusters.listWordings, ({ actor, params, query: { text, after, limit } }) =>
    listWordings(services, actor, { projectId: params.id, clusterId: params.cluster_id, text, after, limit }),
  );
  bind.member(clusters.listClusters, ({ actor, params, query: { after, limit, ...filter } }) =>
    listClusters(services, actor, { projectId: params.id, filter, after, limit }),
  );
  bind.member(clusters.changeCluster, ({ actor, params, body }) =>
    shapeCluster(services, actor, { projectId: params.id, clusterId: params.cluster_id, change: body }),
  );
  bindExports(bind, services);
  bindAnalytics(bind, services);
}

function bindExports(bind: Binder, services: Services): void {
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
  bind.member(exported.listExports, async ({ actor, params, query }) => {
    const { after, limit } = query;
    const { rows, nextCursor } = await listExports(services, actor, { projectId: params.id, after, limit });
    return { data: rows, next_cursor: nextCursor };
  });
}

function bindAnalytics(bind: Binder, services: Services): void {
  bind.member(readAnalyticsEndpoint, ({ actor, params, query }) =>
    readAnalytics(services, actor, { projectId: params.id, ...windowOf(query), bucket: query.bucket }),
  );
  bind.member(readAuditsEndpoint, ({ actor, params, query }) =>
    readAudits(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(line.readThresholds, ({ actor, params, query }) =>
    readThresholds(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(line.readCalibration, ({ actor, params, query }) =>
    readCalibration(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
const windowOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: timeOf(from),
  to: timeOf(to),
});
