// Presents the invites and membership offers of a project in the wire format, without the token of an invite.
import type { Invite as WireInvite } from '@countersign/shared/schemas/invites';
import type { Offer as WireOffer, OwnOffer, RefusedWallet } from '@countersign/shared/schemas/offers';
import { displayName } from '../domain/access/actor.ts';
import type { Invite } from '../db/entities/invite.ts';
import type { User } from '../db/entities/user.ts';
import type { OwnOfferView, RefusedView } from '../domain/access/offer.ts';
import type { Offer } from '../db/entities/offer.ts';

type Maker = Pick<User, 'id' | 'address' | 'name'>;

export function presentInvite({ invite, by }: { invite: Invite; by: Maker | null }): WireInvite {
  return {
    id: invite.id,
    role: invite.role,
    address: invite.address ?? null,
    created_at: invite.createdAt.toISOString(),
    expires_at: invite.expiresAt.toISOString(),
    created_by: by && { user_id: by.id, name: displayName({ name: by.name ?? null, address: by.address }) },
    // Only open invites are shown, and only to members who may revoke them.
    abilities: { revoke: true },
  };
}

/** For owners. Nothing in it depends on whether the wallet is known here (PM5). */
export function presentOffer({ offer, by }: { offer: Offer; by: Maker | null }): WireOffer {
  return {
    id: offer.id,
    address: offer.address,
    role: offer.role,
    created_at: offer.createdAt.toISOString(),
    expires_at: offer.expiresAt.toISOString(),
    offered_by: by && { user_id: by.id, name: displayName({ name: by.name ?? null, address: by.address }) },
    // Only open offers are shown, and only to members who may revoke them.
    abilities: { revoke: true },
  };
}

/** For the wallet that may accept it. */
export function presentOwnOffer({
  id,
  role,
  presentRole,
  createdAt,
  expiresAt,
  projectName,
  by,
}: OwnOfferView): OwnOffer {
  return {
    id,
    project: { name: projectName },
    role,
    present_role: presentRole,
    offered_by: by,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    abilities: { accept: true, decline: true },
  };
}

/** A wallet whose offers the user has blocked (PM9). */
export function presentRefused({ userId, address, name, refusedAt }: RefusedView): RefusedWallet {
  return { user_id: userId, address, name, refused_at: refusedAt.toISOString(), abilities: { allow: true } };
}
