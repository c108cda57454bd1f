// Invites of a project: made by an owner with a token that is shown once, revoked at once (PM3).
import type { Role } from '@countersign/shared/words';
import { decodeAddress } from '../crypto/ed25519.ts';
import { randomToken, sha256Hex } from '../crypto/tokens.ts';
import { Invite } from '../db/entities/invite.ts';
import { nothingHere, requireVerb } from './membership.ts';
import { badField, lockPool, tellProject } from './pool.ts';
import type { MemberActor, Services } from './services.ts';

export interface NewInvite {
  projectId: string;
  role: Role;
  /** The one wallet it is for; null: whoever has the link. */
  address: string | null;
  /** How long it is good, in hours. */
  hours: number;
}

/** Makes an invite; its token is kept as a hash and cannot be had again. Errors: `not_found`, `forbidden`, `validation_failed`. */
export async function createInvite(
  services: Services,
  actor: MemberActor,
  { projectId, role, address, hours }: NewInvite,
): Promise<{ invite: Invite; token: string }> {
  if (address !== null && decodeAddress(address) === null)
    throw badField('address', 'This is not a Solana wallet address.');
  const token = randomToken();
  const id = services.ids.uuid();
  return services.db.write(async (tx) => {
    // An owner who is being taken down must not leave an invite behind.
    await lockPool(tx, projectId);
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    await tx.em.execute(
      `insert into invite (id, project_id, token_hash, role, address, created_by, created_at, expires_at)
       values (?, ?, ?, ?, ?, ?, now(), now() + make_interval(hours => ?))`,
      [id, projectId, sha256Hex(token), role, address, actor.userId, hours],
    );
    await tellProject(tx, actor, { projectId, changed: ['invites'] });
    return { invite: await tx.em.findOneOrFail(Invite, { id }), token };
  });
}

/** Revokes an invite; one that is no longer open stays as it is. Errors: `not_found`, `forbidden`. */
export async function revokeInvite(
  services: Services,
  actor: MemberActor,
  { projectId, inviteId }: { projectId: string; inviteId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    if ((await tx.em.count(Invite, { id: inviteId, projectId })) === 0) throw nothingHere();
    const revoked = await tx.em.execute<{ id: string }[]>(
      `update invite set revoked_at = now() where id = ? and used_at is null and revoked_at is null returning id`,
      [inviteId],
    );
    if (revoked.length > 0) await tellProject(tx, actor, { projectId, changed: ['invites'] });
  });
}
