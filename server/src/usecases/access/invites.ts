// Creates and revokes invites of a project: an owner makes one, and its token is shown once (PM3).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { decodeAddress } from '../../crypto/ed25519.ts';
import { randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { Invite } from '../../db/entities/invite.ts';
import { lockProject } from '../../db/lock-project.ts';
import { shortAddress } from '../../domain/access/actor.ts';
import { notFound, requireChange, requirePermission } from './membership.ts';
import { badField } from './change-membership.ts';
import { recordChange } from '../projects/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

export interface NewInvite {
  projectId: string;
  role: Role;
  /** The only wallet that may use it; null: anyone with the link. */
  address: string | null;
  /** How long it is valid, in hours. */
  hours: number;
}

/**
 * Creates an invite; only the hash of its token is stored. Errors: `not_found`, `forbidden`, `validation_failed`, `rate_limited`.
 */
export async function createInvite(
  services: Services,
  actor: MemberActor,
  { projectId, role, address, hours }: NewInvite,
): Promise<{ invite: Invite; token: string }> {
  if (address !== null && decodeAddress(address) === null)
    throw badField('address', 'This is not a Solana wallet address.');
  await limitInvites(services, actor, projectId);
  const token = randomToken();
  const id = services.ids.uuid();
  return services.db.write(async (tx) => {
    // An owner who is losing that role at this moment must not leave an invite behind.
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    await tx.em.execute(
      `insert into invite (id, project_id, token_hash, role, address, created_by, created_at, expires_at)
       values (?, ?, ?, ?, ?, ?, now(), now() + make_interval(hours => ?))`,
      [id, projectId, sha256Hex(token), role, address, actor.userId, hours],
    );
    const change = { action: 'invite.made' as const, ...subjectOf(id, address), after: { role, address, hours } };
    await recordChange(services, { tx, actor }, { projectId, changed: ['invites'], ...change });
    return { invite: await tx.em.findOneOrFail(Invite, { id }), token };
  });
}

/** Counted per project, and only for people who may invite, so nobody uses up the limit of others. */
async function limitInvites({ db, limiter }: Services, { userId }: MemberActor, projectId: string): Promise<void> {
  await db.read((em) => requirePermission(em, { userId, projectId }, 'manage_members'));
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take('invite', projectId);
  if (!allowed)
    throw new Refusal('rate_limited', `Rate limited. Send the next invite in ${retryAfter} s.`, { retryAfter });
}

/** Revokes an invite; one that is no longer open stays as it is. Errors: `not_found`, `forbidden`. */
export async function revokeInvite(
  services: Services,
  actor: MemberActor,
  { projectId, inviteId }: { projectId: string; inviteId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await lockProject(tx.em, projectId);
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_members');
    if ((await tx.em.count(Invite, { id: inviteId, projectId })) === 0) throw notFound();
    const revoked = await tx.em.execute<{ role: Role; address: string | null }[]>(
      `update invite set revoked_at = now() where id = ? and used_at is null and revoked_at is null returning role, address`,
      [inviteId],
    );
    if (revoked[0] === undefined) return;
    const { role, address } = revoked[0];
    const change = { action: 'invite.revoked' as const, ...subjectOf(inviteId, address), before: { role, address } };
    await recordChange(services, { tx, actor }, { projectId, changed: ['invites'], ...change });
  });
}

/** The subject of the change log line: the wallet it is for, shortened; null: anyone with the link. */
const subjectOf = (subjectId: string, address: string | null) => ({
  subject: address === null ? null : shortAddress(address),
  subjectId,
});
