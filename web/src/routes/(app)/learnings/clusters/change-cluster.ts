// Sends a supervisor's change of a cluster.
import { call } from '#lib/api/client.ts';
import { changeCluster } from '@countersign/shared/routes/clusters';
import type { ClusterChange } from '@countersign/shared/schemas/clusters';

/** Returns the resulting cluster. Errors: those of {@link call}. */
export const submitClusterChange = async (projectId: string, id: string, change: ClusterChange): Promise<string> =>
  (await call(changeCluster, { params: { id: projectId, cluster_id: id }, body: change })).id;
