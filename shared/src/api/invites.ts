// Invites to a project: a link that lets one person join, once (PM3).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { abilitiesTo, role } from '../enums.ts';
import { endpoint } from './endpoint.ts';

/** How long an invite is valid, in hours. */
export const INVITE_HOURS = { least: 1, usual: 72, most: 720 } as const;

/**
 * `address` is the only wallet that may use the invite; null when anyone with the link may. Never contains the token.
 */
export const invite = z
  .object({
    id: uuid,
    role,
    address: z.string().nullable(),
    created_at: timestamp,
    expires_at: timestamp,
    created_by: z.object({ user_id: uuid, name: z.string() }).nullable(),
    abilities: abilitiesTo('revoke'),
  })
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof invite>;

const projectParams = z.object({ id: uuid });

export const listInvites = endpoint({
  method: 'GET',
  path: '/api/projects/:id/invites',
  auth: 'session',
  summary: 'The invites that can still be accepted',
  params: projectParams,
  reply: z.object({ data: z.array(invite), next_cursor: z.string().nullable() }),
});

export const createInvite = endpoint({
  method: 'POST',
  path: '/api/projects/:id/invites',
  auth: 'session',
  summary: 'Create an invite; the response shows its token and link once',
  status: 201,
  params: projectParams,
  body: z.strictObject({
    role,
    address: z.string().max(64).optional(),
    expires_in_hours: z.number().int().min(INVITE_HOURS.least).max(INVITE_HOURS.most).optional(),
  }),
  reply: invite.extend({ token: z.string(), url: z.url() }),
  errors: ['rate_limited'],
});

export const revokeInvite = endpoint({
  method: 'DELETE',
  path: '/api/projects/:id/invites/:invite_id',
  auth: 'session',
  summary: 'Revoke an invite: its link stops working',
  status: 204,
  params: z.object({ id: uuid, invite_id: uuid }),
});

export const acceptInvite = endpoint({
  method: 'POST',
  path: '/api/invites/:token/accept',
  auth: 'session',
  summary: 'Accept an invite and join its project; the response contains your role there',
  // Any text: an invalid token must look the same as a used one.
  params: z.object({ token: z.string() }),
  body: z.strictObject({}).optional(),
  reply: z.object({ project: z.object({ id: uuid, name: z.string() }), role }),
});
