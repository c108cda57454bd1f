// The routes of clusters of reasons: method, path, and the types of their schemas.
import type * as schemas from '../schemas/clusters.ts';
import type { RouteOf } from './route.ts';

export const listClusters: RouteOf<typeof schemas.listClusters> = { method: 'GET', path: '/api/projects/:id/clusters' };
export const changeCluster: RouteOf<typeof schemas.changeCluster> = {
  method: 'PATCH',
  path: '/api/projects/:id/clusters/:cluster_id',
};
export const readCluster: RouteOf<typeof schemas.readCluster> = {
  method: 'GET',
  path: '/api/projects/:id/clusters/:cluster_id',
};
export const listReasonVariants: RouteOf<typeof schemas.listReasonVariants> = {
  method: 'GET',
  path: '/api/projects/:id/clusters/:cluster_id/variants',
};
export const readClusterGuideline: RouteOf<typeof schemas.readClusterGuideline> = {
  method: 'GET',
  path: '/api/projects/:id/clusters/:cluster_id/guideline',
};
