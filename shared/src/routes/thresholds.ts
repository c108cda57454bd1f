// The routes of threshold samples and calibration: method, path, and the types of their schemas.
import type * as schemas from '../schemas/thresholds.ts';
import type { RouteOf } from './route.ts';

export const readThresholds: RouteOf<typeof schemas.readThresholds> = {
  method: 'GET',
  path: '/api/projects/:id/analytics/thresholds',
};
export const readCalibration: RouteOf<typeof schemas.readCalibration> = {
  method: 'GET',
  path: '/api/projects/:id/analytics/calibration',
};
