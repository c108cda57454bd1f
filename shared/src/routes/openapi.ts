// The routes of the OpenAPI document: method, path, and the types of their schemas.
import type * as schemas from '../schemas/openapi.ts';
import type { RouteOf } from './route.ts';

export const readOpenApi: RouteOf<typeof schemas.readOpenApi> = { method: 'GET', path: '/api/public/openapi.json' };
