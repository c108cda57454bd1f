// Applies every change of a reviewer pool, with one event and with all that ends with the role (PM1 to PM3).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import type { HeldClaim } from '../../claims/claim-lock.ts';
import { isMadeOwner, leavesNoOwner, losesInvites } from '../../domain/access/pool.ts';
import type { Tx } from '../../db/database.ts';
import { Member } from '../../db/entities/member.ts';
import { endOffers } from './end-offers.ts';
import { ownersOf } from './membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { type Change, recordChange } from '../../db/record-change.ts';
import { nameOfUser } from './name-of-user.ts';
import { releaseClaims } from '../claims/release-claims.ts';
import type { MemberActor, Services } from '../services.ts';

export interface MembershipChange {
  projectId: string;
  userId: string;
  from: Role | null;
  to: Role | null;
  /** The author of the invite or the offer through which they joined, by name. */
  invitedBy?: string | null;
  offeredBy?: string | null;
}

/**
 * Gives a member another role, adds them (`from` null) or removes them (`to` null), in a locked pool. Returns the claims that
 * ended with the old role: the caller releases their locks after the commit. Errors: for the last owner, `validation_failed` at
 * `#/role` for a lower role and `forbidden` for leaving; `forbidden` for making somebody else an owner (PM8).
 */
export async function changeMembership(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  membership: MembershipChange,
): Promise<HeldClaim[]> {
  const { projectId, userId, to } = membership;
  if (isMadeOwner(membership) && userId !== actor.userId) throw ownershipNotAccepted();
  if (leavesNoOwner(membership, await ownersOf(tx.em, projectId))) throw lastOwner(to);
  if (to === null) await tx.em.nativeDelete(Member, { projectId, userId });
  else {
    await tx.em.execute(
      // A new member has no earlier guidelines to be notified of (GL1).
      `insert into member (project_id, user_id, role, created_at, guidelines_seen)
       select id, ?, ?, ?, guidelines_version from project where id = ?
       on conflict (project_id, user_id) do update set role = excluded.role`,
      [userId, to, services.clock.now(), projectId],
    );
  }
  const ends = await endWithRole(tx, membership);
  // This event comes before those of the claims: a removed member has left the room when those are sent (I8).
  await recordChange(
    services,
    { tx, by: memberRef(actor) },
    membershipChangeEntry(membership, { subject: await nameOfUser(tx, userId), ends }),
  );
  return releaseClaims(tx, actor, { projectId, userId, role: to });
}

/** How much ended with a membership change. */
interface Ends {
  invites: number;
  offers: number;
  /** Whether offers of either kind ended: pages that list them reload. */
  offersEnded: boolean;
}

/**
 * Ends the invites and offers of a member who may make none any more, and every offer to the member, because it is answered now.
 */
async function endWithRole(tx: Tx, membership: MembershipChange): Promise<Ends> {
  const { projectId, userId } = membership;
  const answered = await endOffers(tx, projectId, { forUser: userId });
  if (!losesInvites(membership)) return { invites: 0, offers: 0, offersEnded: answered.length > 0 };
  const invites = await revokeInvitesOf(tx, { projectId, userId });
  const offers = (await endOffers(tx, projectId, { madeBy: userId })).length;
  return { invites, offers, offersEnded: offers + answered.length > 0 };
}

/** One change log line for the change and its consequences: it counts the invites and offers that ended with the role. */
function membershipChangeEntry(
  membership: MembershipChange,
  { subject, ends }: { subject: string; ends: Ends },
): Change {
  const { projectId, userId, from, to, invitedBy = null, offeredBy = null } = membership;
  const after = {
    ...(to === null ? {} : { role: to }),
    ...(invitedBy === null ? {} : { by_invite_of: invitedBy }),
    ...(offeredBy === null ? {} : { by_offer_of: offeredBy }),
    ...(ends.invites === 0 ? {} : { invites_revoked: ends.invites }),
    ...(ends.offers === 0 ? {} : { offers_revoked: ends.offers }),
  };
  const along = [
    ...(losesInvites(membership) ? ['invites' as const] : []),
    ...(ends.offersEnded ? ['offers' as const] : []),
  ];
  return {
    projectId,
    changed: ['members', ...along],
    action: from === null ? 'member.joined' : to === null ? 'member.left' : 'member.changed',
    subject,
    subjectId: userId,
    before: from === null ? null : { role: from },
    after: Object.keys(after).length === 0 ? null : after,
  };
}

function lastOwner(to: Role | null): Refusal {
  const detail =
    'A project needs an owner who is not blocked, and this is the only one. Make someone else an owner first.';
  if (to === null) return new Refusal('forbidden', detail);
  return badField('role', detail);
}

/** Reached when two changes race: the member was an owner when this one was requested, and no longer is. */
const ownershipNotAccepted = () =>
  new Refusal('forbidden', 'An owner has to accept the role first: send them an offer.');

/** 422 for one field of the body. */
export function badField(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'invalid', detail }] });
}

/** Revokes all open invites of a person. Returns how many were still usable; expired ones are closed too but not counted. */
export async function revokeInvitesOf(
  { em }: Tx,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<number> {
  const revoked = await em.execute<{ open: boolean }[]>(
    `update invite set revoked_at = now()
     where project_id = ? and created_by = ? and used_at is null and revoked_at is null
     returning expires_at > now() as open`,
    [projectId, userId],
  );
  return revoked.filter(({ open }) => open).length;
}
