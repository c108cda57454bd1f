// Invites into a reviewer pool: a link that lets one person in, once (PM3).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { abilitiesTo, role } from '../enums.ts';
import { endpoint } from './endpoint.ts';

/** How long an invite is good, in hours. */
export const INVITE_HOURS = { least: 1, usual: 72, most: 720 } as const;

/** `address` is the one wallet it is meant for, null when anybody who has the link may use it. Never its token. */
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
  summary: 'Make an invite; its token and link are in this answer and never again',
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
  summary: 'Revoke an invite: its link lets nobody in any more',
  status: 204,
  params: z.object({ id: uuid, invite_id: uuid }),
});

export const acceptInvite = endpoint({
  method: 'POST',
  path: '/api/invites/:token/accept',
  auth: 'session',
  summary: 'Join the project an invite is for; the answer names the role you have there now',
  // Any text: what is no token of ours must look like one that is used up.
  params: z.object({ token: z.string() }),
  body: z.strictObject({}).optional(),
  reply: z.object({ project: z.object({ id: uuid, name: z.string() }), role }),
});
