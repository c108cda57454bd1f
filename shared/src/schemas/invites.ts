// Invites to a project: a link that lets one person join, once (PM3).
import { z } from 'zod';
import { INVITE_HOURS } from '../limits.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { abilitiesTo, role } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

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

export const listInvites = endpointSchemas({
  auth: 'session',
  summary: 'The invites that can still be accepted',
  params: projectParams,
  reply: z.object({ data: z.array(invite), next_cursor: z.string().nullable() }),
});

export const createInvite = endpointSchemas({
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

export const revokeInvite = endpointSchemas({
  auth: 'session',
  summary: 'Revoke an invite: its link stops working',
  status: 204,
  params: z.object({ id: uuid, invite_id: uuid }),
});

export const readInvite = endpointSchemas({
  auth: 'session',
  summary: 'What an invite offers to the person who opened its link, and whether they are a member already',
  // Any text: an invalid token must look the same as a used one.
  params: z.object({ token: z.string() }),
  reply: z.object({
    project: z.object({ id: uuid, name: z.string() }),
    role,
    invited_by: z.string().nullable(),
    /** Your role in the project; null when you are not a member. */
    member: role.nullable(),
    abilities: abilitiesTo('accept'),
  }),
});

export const acceptInvite = endpointSchemas({
  auth: 'session',
  summary: 'Accept an invite and join its project; the response contains your role there',
  // Any text: an invalid token must look the same as a used one.
  params: z.object({ token: z.string() }),
  body: z.strictObject({}).optional(),
  reply: z.object({ project: z.object({ id: uuid, name: z.string() }), role }),
});
