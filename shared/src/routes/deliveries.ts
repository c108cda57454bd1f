// The routes of deliveries and replays: method, path, and the types of their schemas.
import type * as schemas from '../schemas/deliveries.ts';
import type { RouteOf } from './route.ts';

export const listDeliveries: RouteOf<typeof schemas.listDeliveries> = {
  method: 'GET',
  path: '/api/projects/:id/deliveries',
};
export const summarizeDeliveries: RouteOf<typeof schemas.summarizeDeliveries> = {
  method: 'GET',
  path: '/api/projects/:id/deliveries/summary',
};
export const readDelivery: RouteOf<typeof schemas.readDelivery> = { method: 'GET', path: '/api/deliveries/:id' };
export const replayDelivery: RouteOf<typeof schemas.replayDelivery> = {
  method: 'POST',
  path: '/api/deliveries/:id/replay',
};
export const sendDeliveryNow: RouteOf<typeof schemas.sendDeliveryNow> = {
  method: 'POST',
  path: '/api/deliveries/:id/send-now',
};
export const replayDeliveries: RouteOf<typeof schemas.replayDeliveries> = {
  method: 'POST',
  path: '/api/projects/:id/deliveries/replay',
};
export const listReplays: RouteOf<typeof schemas.listReplays> = { method: 'GET', path: '/api/projects/:id/replays' };
export const cancelReplay: RouteOf<typeof schemas.cancelReplay> = { method: 'DELETE', path: '/api/replays/:id' };
