// The routes of archiving and deleting projects: method, path, and the types of their schemas.
import type * as schemas from '../schemas/lifecycle.ts';
import type { RouteOf } from './route.ts';

export const readContents: RouteOf<typeof schemas.readContents> = { method: 'GET', path: '/api/projects/:id/contents' };
export const archiveProject: RouteOf<typeof schemas.archiveProject> = {
  method: 'POST',
  path: '/api/projects/:id/archive',
};
export const restoreProject: RouteOf<typeof schemas.restoreProject> = {
  method: 'POST',
  path: '/api/projects/:id/restore',
};
export const removeSamples: RouteOf<typeof schemas.removeSamples> = {
  method: 'DELETE',
  path: '/api/projects/:id/samples',
};
export const deleteProject: RouteOf<typeof schemas.deleteProject> = { method: 'DELETE', path: '/api/projects/:id' };
