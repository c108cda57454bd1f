// The routes of the public API: method, path, and the types of their schemas.
import type * as schemas from '../schemas/public.ts';
import type { RouteOf } from './route.ts';

export const submitItem: RouteOf<typeof schemas.submitItem> = { method: 'POST', path: '/api/public/items' };
export const submitBatch: RouteOf<typeof schemas.submitBatch> = { method: 'POST', path: '/api/public/items/batch' };
export const readItem: RouteOf<typeof schemas.readItem> = { method: 'GET', path: '/api/public/items/:id' };
export const withdrawItem: RouteOf<typeof schemas.withdrawItem> = {
  method: 'POST',
  path: '/api/public/items/:id/withdraw',
};
export const listItems: RouteOf<typeof schemas.listItems> = { method: 'GET', path: '/api/public/items' };
export const callMcp: RouteOf<typeof schemas.callMcp> = { method: 'POST', path: '/api/public/mcp' };
export const listEvents: RouteOf<typeof schemas.listEvents> = { method: 'GET', path: '/api/public/events' };
