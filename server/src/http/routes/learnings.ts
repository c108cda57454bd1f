// Learnings: the list, their clusters, and exports.
import * as clusters from '@countersign/shared/routes/clusters';
import * as learningExports from '@countersign/shared/routes/exports';
import * as learnings from '@countersign/shared/routes/learnings';
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
import type { Services } from '../../usecases/services.ts';
import { Download } from '../response/download.ts';
import { windowOf } from '../request/window-of.ts';
import type { Binder } from '../route.ts';

export function bindLearnings(bind: Binder, services: Services): void {
  bind.member(learnings.listLearnings, ({ actor, params, query: { after, limit, cluster, ...filter } }) =>
    listLearnings(services, actor, { projectId: params.id, filter, cluster, after, limit }),
  );
  bind.member(learnings.changeLearning, ({ actor, params, body }) =>
    excludeLearning(services, actor, { projectId: params.id, learningId: params.learning_id, ...body }),
  );
  bind.member(learnings.listLearningValues, ({ actor, params }) => listLearningValues(services, actor, params.id));
  bind.member(learnings.listReasonCounts, ({ actor, params, query }) =>
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
}

function bindExports(bind: Binder, services: Services): void {
  bind.member(learningExports.exportLearnings, async ({ actor, params, query: { skip, ...filter } }) => {
    const { id, through, lines } = await exportLearnings(services, actor, { projectId: params.id, filter, skip });
    return new Download(
      { name: `learnings-${filter.format}-${id}.jsonl`, type: 'application/jsonl', chunks: lines },
      {
        'x-export-id': id,
        'x-export-through': String(through),
      },
    );
  });
  bind.member(learningExports.previewExport, ({ actor, params, query }) =>
    previewExport(services, actor, { projectId: params.id, filter: query }),
  );
  bind.member(learningExports.listExports, async ({ actor, params, query }) => {
    const { after, limit } = query;
    const { rows, nextCursor } = await listExports(services, actor, { projectId: params.id, after, limit });
    return { data: rows, next_cursor: nextCursor };
  });
}
