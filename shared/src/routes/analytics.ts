// The routes of analytics: method, path, and the types of their schemas.
import type * as schemas from '../schemas/analytics.ts';
import type { RouteOf } from './route.ts';

export const readAnalytics: RouteOf<typeof schemas.readAnalytics> = {
  method: 'GET',
  path: '/api/projects/:id/analytics',
};
