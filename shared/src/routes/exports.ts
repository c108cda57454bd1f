// The routes of exports of learnings: method, path, and the types of their schemas.
import type * as schemas from '../schemas/exports.ts';
import type { RouteOf } from './route.ts';

export const exportLearnings: RouteOf<typeof schemas.exportLearnings> = {
  method: 'GET',
  path: '/api/projects/:id/learnings/export',
};
export const previewExport: RouteOf<typeof schemas.previewExport> = {
  method: 'GET',
  path: '/api/projects/:id/learnings/export/preview',
};
export const listExports: RouteOf<typeof schemas.listExports> = {
  method: 'GET',
  path: '/api/projects/:id/learnings/exports',
};
