// Offers of a seat in a reviewer pool: bound to a wallet, and nothing before that wallet accepts (PM5).
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { abilitiesTo, role } from '../enums.ts';
import { endpoint } from './endpoint.ts';

/** How long an offer can be accepted, in days. */
export const OFFER_DAYS = 14;

/** An open offer as the owners of its project see it. It says of the wallet nothing but its address. */
export const offer = z
  .object({
    id: uuid,
    address: z.string(),
    role,
    created_at: timestamp,
    expires_at: timestamp,
    offered_by: z.object({ user_id: uuid, name: z.string() }).nullable(),
    abilities: abilitiesTo('revoke'),
  })
  .meta({ id: 'Offer' });
export type Offer = z.infer<typeof offer>;

/** The same as the wallet sees it that may accept. `name` is what whoever offers calls themself, null when nothing. */
export const ownOffer = z
  .object({
    id: uuid,
    project: z.object({ name: z.string() }),
    role,
    /** What they are there already; null for who is no member. */
    present_role: role.nullable(),
    offered_by: z.object({ name: z.string().nullable(), address: z.string() }),
    created_at: timestamp,
    expires_at: timestamp,
    abilities: abilitiesTo('accept', 'decline'),
  })
  .meta({ id: 'OwnOffer' });
export type OwnOffer = z.infer<typeof ownOffer>;

const page = z.object({
  after: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const listOffers = endpoint({
  method: 'GET',
  path: '/api/projects/:id/offers',
  auth: 'session',
  summary: 'The offers that can still be accepted, newest first',
  params: z.object({ id: uuid }),
  query: page,
  reply: z.object({ data: z.array(offer), next_cursor: z.string().nullable() }),
});

export const revokeOffer = endpoint({
  method: 'DELETE',
  path: '/api/projects/:id/offers/:offer_id',
  auth: 'session',
  summary: 'Revoke an offer: nobody can accept it any more',
  status: 204,
  params: z.object({ id: uuid, offer_id: uuid }),
});

export const listOwnOffers = endpoint({
  method: 'GET',
  path: '/api/offers',
  auth: 'session',
  summary: 'The seats that are offered to you, newest first, without those of wallets you refuse',
  query: page,
  reply: z.object({ data: z.array(ownOffer), next_cursor: z.string().nullable() }),
});

const ownParams = z.object({ id: uuid });

export const acceptOffer = endpoint({
  method: 'POST',
  path: '/api/offers/:id/accept',
  auth: 'session',
  summary: 'Take the seat; the answer names the role you have there now',
  params: ownParams,
  body: z.strictObject({}).optional(),
  reply: z.object({ project: z.object({ id: uuid, name: z.string() }), role }),
});

export const declineOffer = endpoint({
  method: 'POST',
  path: '/api/offers/:id/decline',
  auth: 'session',
  summary: 'Decline the seat; the owners see that the offer is declined, and not what you are called',
  description:
    'With `refuse_wallet` every other offer of whoever made this one is declined too, and what they offer later is not shown to ' +
    'you, until you allow the wallet again. They learn no more than that their offers were declined.',
  status: 204,
  params: ownParams,
  body: z.strictObject({ refuse_wallet: z.boolean().optional() }).optional(),
});

/** A wallet whose offers you refuse. */
export const refusedWallet = z
  .object({
    user_id: uuid,
    address: z.string(),
    name: z.string(),
    refused_at: timestamp,
    abilities: abilitiesTo('allow'),
  })
  .meta({ id: 'RefusedWallet' });
export type RefusedWallet = z.infer<typeof refusedWallet>;

export const listRefusedWallets = endpoint({
  method: 'GET',
  path: '/api/refused-wallets',
  auth: 'session',
  summary: 'The wallets whose offers you refuse, the last one first',
  query: page,
  reply: z.object({ data: z.array(refusedWallet), next_cursor: z.string().nullable() }),
});

export const allowWallet = endpoint({
  method: 'DELETE',
  path: '/api/refused-wallets/:user_id',
  auth: 'session',
  summary: 'Refuse a wallet no more: you see again what it offers',
  status: 204,
  params: z.object({ user_id: uuid }),
});
