// Membership offers: each is bound to a wallet and has no effect until that wallet accepts (PM5).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { abilitiesTo, role } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';

/** An open offer as the owners of its project see it. Of the wallet it shows only the address. */
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

/**
 * The same offer as the invited wallet sees it. `name` is the display name of the owner who made the offer, null
 * without one.
 */
export const ownOffer = z
  .object({
    id: uuid,
    project: z.object({ name: z.string() }),
    role,
    /** Their current role; null when they are not a member. */
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
  limit: queryInteger(1, 200).prefault(50),
});

export const listOffers = endpointSchemas({
  auth: 'session',
  summary: 'The offers that can still be accepted, newest first',
  params: z.object({ id: uuid }),
  query: page,
  reply: z.object({ data: z.array(offer), next_cursor: z.string().nullable() }),
});

export const revokeOffer = endpointSchemas({
  auth: 'session',
  summary: 'Revoke an offer: it can no longer be accepted',
  status: 204,
  params: z.object({ id: uuid, offer_id: uuid }),
});

export const listOwnOffers = endpointSchemas({
  auth: 'session',
  summary: 'The membership offers made to you, newest first, except from wallets you blocked',
  query: page,
  reply: z.object({ data: z.array(ownOffer), next_cursor: z.string().nullable() }),
});

const ownParams = z.object({ id: uuid });

export const acceptOffer = endpointSchemas({
  auth: 'session',
  summary: 'Accept the offer; the response contains your role in the project',
  params: ownParams,
  body: z.strictObject({}).optional(),
  reply: z.object({ project: z.object({ id: uuid, name: z.string() }), role }),
});

export const declineOffer = endpointSchemas({
  auth: 'session',
  summary: 'Decline the offer; the owners see that it was declined, but not your name',
  description:
    'With `refuse_wallet`, every other offer from the same owner is declined too, and their later offers are not shown to' +
    'you until you allow the wallet again. They only see that their offers were declined.',
  status: 204,
  params: ownParams,
  body: z.strictObject({ refuse_wallet: z.boolean().optional() }).optional(),
});

/** A wallet whose offers you blocked. */
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

export const listRefusedWallets = endpointSchemas({
  auth: 'session',
  summary: 'The wallets whose offers you blocked, newest first',
  query: page,
  reply: z.object({ data: z.array(refusedWallet), next_cursor: z.string().nullable() }),
});

export const allowWallet = endpointSchemas({
  auth: 'session',
  summary: 'Allow a blocked wallet again: its offers are shown to you',
  status: 204,
  params: z.object({ user_id: uuid }),
});
