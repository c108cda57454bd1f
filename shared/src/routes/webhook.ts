// The routes of a project's webhook: method, path, and the types of their schemas.
import type * as schemas from '../schemas/webhook.ts';
import type { RouteOf } from './route.ts';

export const readWebhook: RouteOf<typeof schemas.readWebhook> = { method: 'GET', path: '/api/projects/:id/webhook' };
export const testWebhook: RouteOf<typeof schemas.testWebhook> = {
  method: 'POST',
  path: '/api/projects/:id/webhook/test',
};
