// What a supervisor does to a cluster, as it is sent.
import { call } from '#lib/api/client.ts';
import { changeCluster, type ClusterChange } from '@countersign/shared/api/clusters';

/** Answers the cluster that is there afterwards. Errors: those of {@link call}. */
export const submitClusterChange = async (projectId: string, id: string, change: ClusterChange): Promise<string> =>
  (await call(changeCluster, { params: { id: projectId, cluster_id: id }, body: change })).id;
