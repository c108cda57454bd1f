// The routes of audits: method, path, and the types of their schemas.
import type * as schemas from '../schemas/audits.ts';
import type { RouteOf } from './route.ts';

export const readAudits: RouteOf<typeof schemas.readAudits> = {
  method: 'GET',
  path: '/api/projects/:id/analytics/audits',
};
