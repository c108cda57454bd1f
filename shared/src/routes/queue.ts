// The routes of the live queue: method, path, and the types of their schemas.
import type * as schemas from '../schemas/queue.ts';
import type { RouteOf } from './route.ts';

export const listQueue: RouteOf<typeof schemas.listQueue> = { method: 'GET', path: '/api/queue' };
export const claimNext: RouteOf<typeof schemas.claimNext> = { method: 'POST', path: '/api/queue/claim-next' };
export const claimBulk: RouteOf<typeof schemas.claimBulk> = { method: 'POST', path: '/api/queue/bulk-claim' };
export const readQueueItem: RouteOf<typeof schemas.readQueueItem> = { method: 'GET', path: '/api/items/:id' };
export const readHistory: RouteOf<typeof schemas.readHistory> = { method: 'GET', path: '/api/items/:id/history' };
export const readMedia: RouteOf<typeof schemas.readMedia> = { method: 'GET', path: '/api/items/:id/media' };
export const claimItem: RouteOf<typeof schemas.claimItem> = { method: 'POST', path: '/api/items/:id/claim' };
export const renewClaim: RouteOf<typeof schemas.renewClaim> = { method: 'POST', path: '/api/items/:id/claim/renew' };
export const releaseClaim: RouteOf<typeof schemas.releaseClaim> = { method: 'DELETE', path: '/api/items/:id/claim' };
export const takeOver: RouteOf<typeof schemas.takeOver> = { method: 'POST', path: '/api/items/:id/claim/take-over' };
export const decideItem: RouteOf<typeof schemas.decideItem> = { method: 'POST', path: '/api/items/:id/decision' };
export const undoDecision: RouteOf<typeof schemas.undoDecision> = {
  method: 'POST',
  path: '/api/items/:id/decision/undo',
};
export const reopenItem: RouteOf<typeof schemas.reopenItem> = { method: 'POST', path: '/api/items/:id/reopen' };
export const reviseItem: RouteOf<typeof schemas.reviseItem> = { method: 'POST', path: '/api/items/:id/revise' };
export const extendDeadline: RouteOf<typeof schemas.extendDeadline> = { method: 'POST', path: '/api/items/:id/extend' };
export const search: RouteOf<typeof schemas.search> = { method: 'GET', path: '/api/search' };
export const listSimilar: RouteOf<typeof schemas.listSimilar> = { method: 'GET', path: '/api/items/:id/similar' };
export const listExpiredItems: RouteOf<typeof schemas.listExpiredItems> = {
  method: 'GET',
  path: '/api/projects/:id/expired-items',
};
