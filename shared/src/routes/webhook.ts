// The routes of a project's webhook: method, path, and the types of their schemas.
import type * as schemas from '../schemas/webhook.ts';
import type { RouteOf } from './route.ts';

export const readWebhook: RouteOf<typeof schemas.readWebhook> = { method: 'GET', path: '/api/projects/:id/webhook' };
export const testWebhook: RouteOf<typeof schemas.testWebhook> = {
  method: 'POST',
  path: '/api/projects/:id/webhook/test',
};
export const listNotificationMessages: RouteOf<typeof schemas.listNotificationMessages> = {
  method: 'GET',
  path: '/api/projects/:id/notifications/messages',
};
export const testNotification: RouteOf<typeof schemas.testNotification> = {
  method: 'POST',
  path: '/api/projects/:id/notifications/test',
};
export const resendNotificationMessage: RouteOf<typeof schemas.resendNotificationMessage> = {
  method: 'POST',
  path: '/api/notification-messages/:id/resend',
};
