// The routes of invites: method, path, and the types of their schemas.
import type * as schemas from '../schemas/invites.ts';
import type { RouteOf } from './route.ts';

export const listInvites: RouteOf<typeof schemas.listInvites> = { method: 'GET', path: '/api/projects/:id/invites' };
export const createInvite: RouteOf<typeof schemas.createInvite> = { method: 'POST', path: '/api/projects/:id/invites' };
export const revokeInvite: RouteOf<typeof schemas.revokeInvite> = {
  method: 'DELETE',
  path: '/api/projects/:id/invites/:invite_id',
};
export const readInvite: RouteOf<typeof schemas.readInvite> = { method: 'GET', path: '/api/invites/:token' };
export const acceptInvite: RouteOf<typeof schemas.acceptInvite> = {
  method: 'POST',
  path: '/api/invites/:token/accept',
};
