// The routes of projects, keys, members and webhook secrets: method, path, and the types of their schemas.
import type * as schemas from '../schemas/projects.ts';
import type { RouteOf } from './route.ts';

export const listProjects: RouteOf<typeof schemas.listProjects> = { method: 'GET', path: '/api/projects' };
export const createProject: RouteOf<typeof schemas.createProject> = { method: 'POST', path: '/api/projects' };
export const readProject: RouteOf<typeof schemas.readProject> = { method: 'GET', path: '/api/projects/:id' };
export const changeProject: RouteOf<typeof schemas.changeProject> = { method: 'PATCH', path: '/api/projects/:id' };
export const listAnswers: RouteOf<typeof schemas.listAnswers> = { method: 'GET', path: '/api/projects/:id/answers' };
export const listApiKeys: RouteOf<typeof schemas.listApiKeys> = { method: 'GET', path: '/api/projects/:id/api-keys' };
export const createApiKey: RouteOf<typeof schemas.createApiKey> = {
  method: 'POST',
  path: '/api/projects/:id/api-keys',
};
export const revokeApiKey: RouteOf<typeof schemas.revokeApiKey> = {
  method: 'DELETE',
  path: '/api/projects/:id/api-keys/:key_id',
};
export const rotateWebhookSecret: RouteOf<typeof schemas.rotateWebhookSecret> = {
  method: 'POST',
  path: '/api/projects/:id/webhook/rotate',
};
export const promoteWebhookSecret: RouteOf<typeof schemas.promoteWebhookSecret> = {
  method: 'POST',
  path: '/api/projects/:id/webhook/promote',
};
export const listMembers: RouteOf<typeof schemas.listMembers> = { method: 'GET', path: '/api/projects/:id/members' };
export const addMember: RouteOf<typeof schemas.addMember> = { method: 'POST', path: '/api/projects/:id/members' };
export const changeMember: RouteOf<typeof schemas.changeMember> = {
  method: 'PATCH',
  path: '/api/projects/:id/members/:user_id',
};
export const removeMember: RouteOf<typeof schemas.removeMember> = {
  method: 'DELETE',
  path: '/api/projects/:id/members/:user_id',
};
