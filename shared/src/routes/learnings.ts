// The routes of learnings: method, path, and the types of their schemas.
import type * as schemas from '../schemas/learnings.ts';
import type { RouteOf } from './route.ts';

export const listLearnings: RouteOf<typeof schemas.listLearnings> = {
  method: 'GET',
  path: '/api/projects/:id/learnings',
};
export const changeLearning: RouteOf<typeof schemas.changeLearning> = {
  method: 'PATCH',
  path: '/api/projects/:id/learnings/:learning_id',
};
export const listLearningValues: RouteOf<typeof schemas.listLearningValues> = {
  method: 'GET',
  path: '/api/projects/:id/learnings/values',
};
export const listReasonCounts: RouteOf<typeof schemas.listReasonCounts> = {
  method: 'GET',
  path: '/api/projects/:id/learnings/reasons',
};
