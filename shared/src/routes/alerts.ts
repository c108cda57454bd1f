// The routes of alerts to owners: method, path, and the types of their schemas.
import type * as schemas from '../schemas/alerts.ts';
import type { RouteOf } from './route.ts';

export const listAlerts: RouteOf<typeof schemas.listAlerts> = { method: 'GET', path: '/api/alerts' };
export const listProjectAlerts: RouteOf<typeof schemas.listProjectAlerts> = {
  method: 'GET',
  path: '/api/projects/:id/alerts',
};
export const seeAlert: RouteOf<typeof schemas.seeAlert> = { method: 'POST', path: '/api/projects/:id/alerts/seen' };
