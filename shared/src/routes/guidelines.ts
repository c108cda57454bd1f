// The routes of guidelines: method, path, and the types of their schemas.
import type * as schemas from '../schemas/guidelines.ts';
import type { RouteOf } from './route.ts';

export const readGuidelines: RouteOf<typeof schemas.readGuidelines> = {
  method: 'GET',
  path: '/api/projects/:id/guidelines',
};
export const listGuidelinesVersions: RouteOf<typeof schemas.listGuidelinesVersions> = {
  method: 'GET',
  path: '/api/projects/:id/guidelines/versions',
};
export const seeGuidelines: RouteOf<typeof schemas.seeGuidelines> = {
  method: 'POST',
  path: '/api/projects/:id/guidelines/seen',
};
export const listGuidelinesNews: RouteOf<typeof schemas.listGuidelinesNews> = {
  method: 'GET',
  path: '/api/guidelines/news',
};
