// The routes of regression runs: method, path, and the types of their schemas.
import type * as schemas from '../schemas/regressions.ts';
import type { RouteOf } from './route.ts';

export const startRegression: RouteOf<typeof schemas.startRegression> = {
  method: 'POST',
  path: '/api/public/regressions',
};
export const readRegression: RouteOf<typeof schemas.readRegression> = {
  method: 'GET',
  path: '/api/public/regressions/:id',
};
export const listCases: RouteOf<typeof schemas.listCases> = {
  method: 'GET',
  path: '/api/public/regressions/:id/cases',
};
export const answerCases: RouteOf<typeof schemas.answerCases> = {
  method: 'POST',
  path: '/api/public/regressions/:id/answers',
};
export const beginRegression: RouteOf<typeof schemas.beginRegression> = {
  method: 'POST',
  path: '/api/projects/:id/regressions',
};
export const listRegressions: RouteOf<typeof schemas.listRegressions> = {
  method: 'GET',
  path: '/api/projects/:id/regressions',
};
export const listRegressionCases: RouteOf<typeof schemas.listRegressionCases> = {
  method: 'GET',
  path: '/api/projects/:id/regressions/:regression_id/cases',
};
