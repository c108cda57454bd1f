// The routes of inbound webhooks: method, path, and the types of their schemas.
import type * as schemas from '../schemas/inbound.ts';
import type { RouteOf } from './route.ts';

export const receiveInbound: RouteOf<typeof schemas.receiveInbound> = {
  method: 'POST',
  path: '/api/public/inbound/:source_id',
};
export const listInboundSources: RouteOf<typeof schemas.listInboundSources> = {
  method: 'GET',
  path: '/api/projects/:id/inbound-sources',
};
export const createInboundSource: RouteOf<typeof schemas.createInboundSource> = {
  method: 'POST',
  path: '/api/projects/:id/inbound-sources',
};
export const removeInboundSource: RouteOf<typeof schemas.removeInboundSource> = {
  method: 'DELETE',
  path: '/api/projects/:id/inbound-sources/:source_id',
};
