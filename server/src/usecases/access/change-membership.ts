// What every change of a reviewer pool shares: one at a time, told in one fact, and whatever ends with the role ends with it (PM1 to PM3).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import type { HeldClaim } from '../../claims/claim-lock.ts';
import { isMadeOwner, leavesNoOwner, losesInvites } from '../../domain/access/pool.ts';
import type { Tx } from '../../db/database.ts';
import { Member } from '../../db/entities/member.ts';
import { endOffers } from './end-offers.ts';
import { nameOf, recordChange, type Change } from '../projects/record-change.ts';
import { releaseClaims } from '../claims/release-claims.ts';
import type { MemberActor, Services } from '../services.ts';

export interface MembershipChange {
  projectId: string;
  userId: string;
  from: Role | null;
  to: Role | null;
  /** Who made the invite or the offer they came by, as people name them. */
  invitedBy?: string | null;
  offeredBy?: string | null;
}

/**
 * Gives a member another role, takes them in (`from` null) or out (`to` null), in a pool that is locked.
 * Answers the claims that ended with the old role: their locks are to be dropped after the commit.
 * Errors: of the last owner, `validation_failed` at `#/role` for a lower role and `forbidden` for leaving; `forbidden` for making
 * an owner of anybody else (PM8).
 */
export async function changeMembership(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  membership: MembershipChange,
): Promise<HeldClaim[]> {
  const { projectId, userId, to } = membership;
  if (isMadeOwner(membership) && userId !== actor.userId) throw ownershipNotAccepted();
  const owners = await tx.em.count(Member, { projectId, role: 'owner' });
  if (leavesNoOwner(membership, owners)) throw lastOwner(to);
  if (to === null) await tx.em.nativeDelete(Member, { projectId, userId });
  else {
    await tx.em.execute(
      // Who joins has nothing to be told of older guidelines (GL1).
      `insert into member (project_id, user_id, role, created_at, guidelines_seen)
       select id, ?, ?, ?, guidelines_version from project where id = ?
       on conflict (project_id, user_id) do update set role = excluded.role`,
      [userId, to, services.clock.now(), projectId],
    );
  }
  const ends = await endWithRole(tx, membership);
  // Told before the claims: whoever is out has left the room when those are sent (I8).
  await recordChange(
    services,
    { tx, actor },
    membershipChangeEntry(membership, { subject: await nameOf(tx, userId), ends }),
  );
  return releaseClaims(tx, actor, { projectId, userId, role: to });
}

/** What ended with a change of a seat, counted. */
interface Ends {
  invites: number;
  offers: number;
  /** Offers of either kind: pages that list them look again. */
  offersEnded: boolean;
}

/** The invites and offers of who may make none any more; and any offer to whom the change is about, who has an answer now. */
async function endWithRole(tx: Tx, membership: MembershipChange): Promise<Ends> {
  const { projectId, userId } = membership;
  const answered = await endOffers(tx, projectId, { forUser: userId });
  if (!losesInvites(membership)) return { invites: 0, offers: 0, offersEnded: answered.length > 0 };
  const invites = await revokeInvitesOf(tx, { projectId, userId });
  const offers = (await endOffers(tx, projectId, { madeBy: userId })).length;
  return { invites, offers, offersEnded: offers + answered.length > 0 };
}

/** One line for the change and what it took along: the invites and offers that ended with the role are counted in it. */
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
  const detail = 'A project keeps an owner, and there is no other one: make somebody else an owner first.';
  if (to === null) return new Refusal('forbidden', detail);
  return badField('role', detail);
}

/** Reached when two changes meet: the member was an owner when this one was asked for, and is none any more. */
const ownershipNotAccepted = () =>
  new Refusal('forbidden', 'Nobody becomes an owner without accepting: offer it to them, and they answer.');

/** 422 at one field of the body. */
export function badField(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'invalid', detail }] });
}

/** How many that still could be used it ended; those that are over anyhow are closed with them. */
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
