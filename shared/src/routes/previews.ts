// The routes of previews: method, path, and the types of their schemas.
import type * as schemas from '../schemas/previews.ts';
import type { RouteOf } from './route.ts';

export const previewItem: RouteOf<typeof schemas.previewItem> = {
  method: 'POST',
  path: '/api/projects/:id/preview',
};

export const forecastSkills: RouteOf<typeof schemas.forecastSkills> = {
  method: 'POST',
  path: '/api/projects/:id/skills/forecast',
};
