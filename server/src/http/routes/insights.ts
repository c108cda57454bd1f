// Onboarding, learnings and analytics.
import * as onboarding from '@countersign/shared/routes/onboarding';
import * as clusters from '@countersign/shared/routes/clusters';
import * as exported from '@countersign/shared/routes/exports';
import { readAnalytics as readAnalyticsEndpoint } from '@countersign/shared/routes/analytics';
import { readAudits as readAuditsEndpoint } from '@countersign/shared/routes/audits';
import * as api from '@countersign/shared/routes/learnings';
import { readPerson as readPersonEndpoint } from '@countersign/shared/routes/team';
import * as thresholds from '@countersign/shared/routes/thresholds';
import { excludeLearning, shapeCluster } from '../../usecases/learnings/change-learnings.ts';
import { exportLearnings } from '../../usecases/learnings/export-learnings.ts';
import {
  listClusters,
  listReasonVariants,
  readCluster,
  listLearningValues,
} from '../../usecases/learnings/read-clusters.ts';
import { readClusterGuideline } from '../../usecases/learnings/read-cluster-guideline.ts';
import { listExports, previewExport } from '../../usecases/learnings/list-exports.ts';
import { listReasonCounts } from '../../usecases/learnings/list-reason-counts.ts';
import { listLearnings } from '../../usecases/learnings/list-learnings.ts';
import { readCalibration } from '../../usecases/analytics/read-calibration.ts';
import { readOnboarding } from '../../usecases/projects/read-onboarding.ts';
import { hideReadiness, readReadiness } from '../../usecases/projects/read-readiness.ts';
import { readAudits } from '../../usecases/analytics/read-audits.ts';
import { readAnalytics } from '../../usecases/analytics/read-analytics.ts';
import { readPerson } from '../../usecases/analytics/read-person.ts';
import { readThresholds } from '../../usecases/analytics/read-thresholds.ts';
import type { Services } from '../../usecases/services.ts';
import { Download } from '../response/download.ts';
import type { Binder } from '../route.ts';

export function bindInsights(bind: Binder, services: Services): void {
  bind.member(onboarding.readOnboarding, ({ actor, params }) => readOnboarding(services, actor, params.id));
  bind.member(onboarding.readReadiness, ({ actor, params }) => readReadiness(services, actor, params.id));
  bind.member(onboarding.hideReadiness, async ({ actor, params }) => {
    await hideReadiness(services, actor, params.id);
    return undefined;
  });
  bind.member(api.listLearnings, ({ actor, params, query: { after, limit, cluster, ...filter } }) =>
    listLearnings(services, actor, { projectId: params.id, filter, cluster, after, limit }),
  );
  bind.member(api.changeLearning, ({ actor, params, body }) =>
    excludeLearning(services, actor, { projectId: params.id, learningId: params.learning_id, ...body }),
  );
  bind.member(api.listLearningValues, ({ actor, params }) => listLearningValues(services, actor, params.id));
  bind.member(api.listReasonCounts, ({ actor, params, query }) =>
    listReasonCounts(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(clusters.readCluster, ({ actor, params }) =>
    readCluster(services, actor, { projectId: params.id, clusterId: params.cluster_id }),
  );
  bind.member(clusters.readClusterGuideline, ({ actor, params }) =>
    readClusterGuideline(services, actor, { projectId: params.id, clusterId: params.cluster_id }),
  );
  bind.member(clusters.listReasonVariants, ({ actor, params, query: { text, after, limit } }) =>
    listReasonVariants(services, actor, { projectId: params.id, clusterId: params.cluster_id, text, after, limit }),
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
  bind.member(readPersonEndpoint, ({ actor, params, query }) =>
    readPerson(services, actor, { projectId: params.id, userId: params.user_id, ...windowOf(query) }),
  );
  bind.member(readAuditsEndpoint, ({ actor, params, query }) =>
    readAudits(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(thresholds.readThresholds, ({ actor, params, query }) =>
    readThresholds(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(thresholds.readCalibration, ({ actor, params, query }) =>
    readCalibration(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
const windowOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: timeOf(from),
  to: timeOf(to),
});
