// The route of the preview of an item: method, path, and the types of its schemas.
import type * as schemas from '../schemas/previews.ts';
import type { RouteOf } from './route.ts';

export const previewItem: RouteOf<typeof schemas.previewItem> = {
  method: 'POST',
  path: '/api/projects/:id/preview',
};
