// Presents an invite in the wire format: never its token, which is shown once, on creation.
import type { Invite as WireInvite } from '@countersign/shared/api/invites';
import { displayName } from '../domain/access/actor.ts';
import type { Invite } from '../db/entities/invite.ts';
import type { User } from '../db/entities/user.ts';

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
