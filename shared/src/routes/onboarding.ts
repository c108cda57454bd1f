// The routes of onboarding: method, path, and the types of their schemas.
import type * as schemas from '../schemas/onboarding.ts';
import type { RouteOf } from './route.ts';

export const readReadiness: RouteOf<typeof schemas.readReadiness> = {
  method: 'GET',
  path: '/api/projects/:id/readiness',
};
export const hideReadiness: RouteOf<typeof schemas.hideReadiness> = {
  method: 'POST',
  path: '/api/projects/:id/readiness/hide',
};
export const readOnboarding: RouteOf<typeof schemas.readOnboarding> = {
  method: 'GET',
  path: '/api/projects/:id/onboarding',
};
