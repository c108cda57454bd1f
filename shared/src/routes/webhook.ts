// The routes of a project's webhook and its endpoints: method, path, and the types of their schemas.
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
export const listEndpoints: RouteOf<typeof schemas.listEndpoints> = {
  method: 'GET',
  path: '/api/projects/:id/endpoints',
};
export const createEndpoint: RouteOf<typeof schemas.createEndpoint> = {
  method: 'POST',
  path: '/api/projects/:id/endpoints',
};
export const changeEndpoint: RouteOf<typeof schemas.changeEndpoint> = {
  method: 'PATCH',
  path: '/api/projects/:id/endpoints/:endpoint_id',
};
export const removeEndpoint: RouteOf<typeof schemas.removeEndpoint> = {
  method: 'DELETE',
  path: '/api/projects/:id/endpoints/:endpoint_id',
};
export const testEndpoint: RouteOf<typeof schemas.testEndpoint> = {
  method: 'POST',
  path: '/api/projects/:id/endpoints/:endpoint_id/test',
};
export const rotateEndpointSecret: RouteOf<typeof schemas.rotateEndpointSecret> = {
  method: 'POST',
  path: '/api/projects/:id/endpoints/:endpoint_id/rotate',
};
export const promoteEndpointSecret: RouteOf<typeof schemas.promoteEndpointSecret> = {
  method: 'POST',
  path: '/api/projects/:id/endpoints/:endpoint_id/promote',
};
