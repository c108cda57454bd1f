// The routes of reported mistakes: method, path, and the types of their schemas.
import type * as schemas from '../schemas/mistakes.ts';
import type { RouteOf } from './route.ts';

export const listMistakes: RouteOf<typeof schemas.listMistakes> = { method: 'GET', path: '/api/mistakes' };
export const readMistake: RouteOf<typeof schemas.readMistake> = { method: 'GET', path: '/api/items/:id/mistake' };
export const reportMistake: RouteOf<typeof schemas.reportMistake> = { method: 'POST', path: '/api/items/:id/mistake' };
export const answerMistake: RouteOf<typeof schemas.answerMistake> = {
  method: 'POST',
  path: '/api/items/:id/mistake/answer',
};
export const readOwnFigures: RouteOf<typeof schemas.readOwnFigures> = { method: 'GET', path: '/api/me/figures' };
