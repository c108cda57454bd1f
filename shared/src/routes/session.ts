// The routes of sign-in, sessions and the account: method, path, and the types of their schemas.
import type * as schemas from '../schemas/session.ts';
import type { RouteOf } from './route.ts';

export const challenge: RouteOf<typeof schemas.challenge> = { method: 'POST', path: '/api/auth/challenge' };
export const verify: RouteOf<typeof schemas.verify> = { method: 'POST', path: '/api/auth/verify' };
export const readSession: RouteOf<typeof schemas.readSession> = { method: 'GET', path: '/api/session' };
export const endSession: RouteOf<typeof schemas.endSession> = { method: 'DELETE', path: '/api/session' };
export const listSessions: RouteOf<typeof schemas.listSessions> = { method: 'GET', path: '/api/sessions' };
export const endOneSession: RouteOf<typeof schemas.endOneSession> = { method: 'DELETE', path: '/api/sessions/:id' };
export const endOtherSessions: RouteOf<typeof schemas.endOtherSessions> = { method: 'DELETE', path: '/api/sessions' };
export const readAccount: RouteOf<typeof schemas.readAccount> = { method: 'GET', path: '/api/account' };
export const changeAccount: RouteOf<typeof schemas.changeAccount> = { method: 'PATCH', path: '/api/account' };
export const readMeta: RouteOf<typeof schemas.readMeta> = { method: 'GET', path: '/api/meta' };
