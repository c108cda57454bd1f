// Presents a membership offer in the wire format: for the owners of its project, and for the invited wallet.
import type { Offer as WireOffer, OwnOffer, RefusedWallet } from '@countersign/shared/api/offers';
import { displayName } from '../domain/access/actor.ts';
import type { OwnOfferView, RefusedView } from '../domain/access/offer.ts';
import type { Offer } from '../db/entities/offer.ts';
import type { User } from '../db/entities/user.ts';

type Maker = Pick<User, 'id' | 'address' | 'name'>;

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
