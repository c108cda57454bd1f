// What every change of a reviewer pool shares: one at a time, told in one fact, and whatever ends with the role ends with it (PM1 to PM3).
import { Refusal } from '@countersign/shared/errors';
import type { FactOf } from '@countersign/shared/events';
import type { Role } from '@countersign/shared/words';
import type { HeldClaim } from '../claims/claim-lock.ts';
import { memberRef } from '../domain/actor.ts';
import { leavesNoOwner, losesInvites } from '../domain/pool.ts';
import type { Tx } from '../db/database.ts';
import { Member } from '../db/entities/member.ts';
import { Project } from '../db/entities/project.ts';
import { releaseClaims } from './release-claims.ts';
import type { MemberActor, Services } from './services.ts';

/** Locks a project's pool until the transaction ends: two owners who take each other down must not both succeed. */
export async function lockPool({ em }: Tx, projectId: string): Promise<void> {
  await em.execute('select id from project where id = ? for no key update', [projectId]);
}

/** States that something of a project changed. */
export async function tellProject(
  tx: Tx,
  actor: MemberActor,
  { projectId, changed }: { projectId: string; changed: FactOf<'project.changed'>['changed'] },
): Promise<void> {
  const { settingsVersion } = await tx.em.findOneOrFail(Project, { id: projectId });
  const fact = { project_id: projectId, actor: memberRef(actor), settings_version: settingsVersion };
  tx.record({ type: 'project.changed', ...fact, changed });
}

export interface Seat {
  projectId: string;
  userId: string;
  from: Role | null;
  to: Role | null;
}

/**
 * Gives a member another role, takes them in (`from` null) or out (`to` null), in a pool that is locked.
 * Answers the claims that ended with the old role: their locks are to be dropped after the commit.
 * Errors: of the last owner, `validation_failed` at `#/role` for a lower role and `forbidden` for leaving.
 */
export async function changeSeat(
  { clock }: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  seat: Seat,
): Promise<HeldClaim[]> {
  const { projectId, userId, to } = seat;
  const owners = await tx.em.count(Member, { projectId, role: 'owner' });
  if (leavesNoOwner(seat, owners)) throw lastOwner(to);
  if (to === null) await tx.em.nativeDelete(Member, { projectId, userId });
  else {
    await tx.em.execute(
      `insert into member (project_id, user_id, role, created_at) values (?, ?, ?, ?)
       on conflict (project_id, user_id) do update set role = excluded.role`,
      [projectId, userId, to, clock.now()],
    );
  }
  // Told before the claims: whoever is out has left the room when those are sent (I8).
  const invites = losesInvites(seat) ? ['invites' as const] : [];
  await tellProject(tx, actor, { projectId, changed: ['members', ...invites] });
  if (losesInvites(seat)) await revokeInvitesOf(tx, { projectId, userId });
  return releaseClaims(tx, actor, { projectId, userId, role: to });
}

function lastOwner(to: Role | null): Refusal {
  const detail = 'A project keeps an owner, and there is no other one: make somebody else an owner first.';
  if (to === null) return new Refusal('forbidden', detail);
  return badField('role', detail);
}

/** 422 at one field of the body. */
export function badField(field: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${field}`, code: 'invalid', detail }] });
}

async function revokeInvitesOf(
  { em }: Tx,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<void> {
  await em.execute(
    `update invite set revoked_at = now()
     where project_id = ? and created_by = ? and used_at is null and revoked_at is null`,
    [projectId, userId],
  );
}
