// The routes of the live team view and the stop switch: method, path, and the types of their schemas.
import type * as schemas from '../schemas/team.ts';
import type { RouteOf } from './route.ts';

export const stopProject: RouteOf<typeof schemas.stopProject> = { method: 'POST', path: '/api/projects/:id/stop' };
export const releaseProject: RouteOf<typeof schemas.releaseProject> = {
  method: 'DELETE',
  path: '/api/projects/:id/stop',
};
export const readTeamView: RouteOf<typeof schemas.readTeamView> = { method: 'GET', path: '/api/projects/:id/team' };
export const readPerson: RouteOf<typeof schemas.readPerson> = {
  method: 'GET',
  path: '/api/projects/:id/people/:user_id',
};
