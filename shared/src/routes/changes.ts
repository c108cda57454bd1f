// The routes of the change log: method, path, and the types of their schemas.
import type * as schemas from '../schemas/changes.ts';
import type { RouteOf } from './route.ts';

export const listChanges: RouteOf<typeof schemas.listChanges> = { method: 'GET', path: '/api/projects/:id/changes' };
