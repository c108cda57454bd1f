// Creates, lists, revokes and accepts invites of a project: a token is shown once and adds one person (PM3).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { decodeAddress } from '../../crypto/ed25519.ts';
import { randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { Invite } from '../../db/entities/invite.ts';
import { lockProject } from '../../db/lock-project.ts';
import { memberRef, shortAddress } from '../../domain/access/actor.ts';
import { notFound, requireChange, requirePermission, lockRole } from './membership.ts';
import { badField, changeMembership } from './change-membership.ts';
import { recordChange } from '../../db/record-change.ts';
import { nameOfUser } from './name-of-user.ts';
import { countOrRefuse } from '../count-or-refuse.ts';
import type { MemberActor, Services } from '../services.ts';
import { User } from '../../db/entities/user.ts';
import { isRaise } from '../../domain/access/pool.ts';
import type { Tx } from '../../db/database.ts';
import { Project } from '../../db/entities/project.ts';
import { refuseBlocked } from './blocked.ts';

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
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['invites'], ...change });
    return { invite: await tx.em.findOneOrFail(Invite, { id }), token };
  });
}

/** Counted per project, and only for people who may invite, so nobody uses up the limit of others. */
async function limitInvites(services: Services, { userId }: MemberActor, projectId: string): Promise<void> {
  await services.db.read((em) => requirePermission(em, { userId, projectId }, 'manage_members'));
  const counted = { policy: 'invite', key: projectId } as const;
  await countOrRefuse(services, counted, (seconds) => `Rate limited. Send the next invite in ${seconds} s.`);
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
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['invites'], ...change });
  });
}

/** The subject of the change log line: the wallet it is for, shortened; null: anyone with the link. */
const subjectOf = (subjectId: string, address: string | null) => ({
  subject: address === null ? null : shortAddress(address),
  subjectId,
});

interface InviteView {
  invite: Invite;
  /** Its author. */
  by: User | null;
}

/** Newest first; for owners. Errors: `not_found`, `forbidden`. */
export function listInvites(services: Services, actor: MemberActor, projectId: string): Promise<InviteView[]> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_members');
    const open = await em.execute<{ id: string }[]>(
      `select id from invite where project_id = ? and used_at is null and revoked_at is null and expires_at > now()`,
      [projectId],
    );
    const ids = open.map(({ id }) => id);
    const invites = await em.find(Invite, { id: { $in: ids } }, { orderBy: { createdAt: 'desc', id: 'desc' } });
    const makers = invites.flatMap(({ createdBy }) => createdBy ?? []);
    const users = await em.find(User, { id: { $in: makers } });
    const byId = new Map(users.map((user) => [user.id, user]));
    return invites.map((invite) => ({ invite, by: byId.get(invite.createdBy ?? '') ?? null }));
  });
}

/** The conditions of an open invite, for the wallet in the parameter. */
export const OPEN = `used_at is null and revoked_at is null and expires_at > now() and (invite.address is null or invite.address = ?)
  and exists (select 1 from project p where p.id = invite.project_id and p.archived_at is null)`;

interface Joined {
  project: Project;
  role: Role;
}

/**
 * Joins the project of the invite with its role. A member gets the higher of the two roles, and an invite that would not raise
 * theirs stays open. Who used it is answered again while they are a member: the first answer may have been lost. Errors:
 * `not_found`, the same for every token that this person cannot use.
 */
export async function acceptInvite(services: Services, actor: MemberActor, token: string): Promise<Joined> {
  return services.db.write(async (tx) => {
    const open = await findOpen(tx, { token, address: actor.address });
    if (open === null) return joinedBefore(tx, { token, userId: actor.userId });
    const { id, role, project_id: projectId, created_by: maker } = open;
    await lockProject(tx.em, projectId);
    await refuseBlocked(tx.em, actor.userId);
    const project = await tx.em.findOneOrFail(Project, { id: projectId });
    const from = await lockRole(tx.em, actor.userId, projectId);
    if (from !== null && !isRaise({ from, to: role })) return { project, role: from };
    await useUp(tx, { id, actor });
    const invitedBy = maker === null ? null : await nameOfUser(tx, maker);
    await changeMembership(services, { tx, actor }, { projectId, userId: actor.userId, from, to: role, invitedBy });
    return { project, role };
  });
}

interface Open {
  id: string;
  project_id: string;
  role: Role;
  created_by: string | null;
}

async function findOpen({ em }: Tx, { token, address }: { token: string; address: string }): Promise<Open | null> {
  const rows = await em.execute<Open[]>(
    `select id, project_id, role, created_by from invite where token_hash = ? and ${OPEN}`,
    [sha256Hex(token), address],
  );
  return rows[0] ?? null;
}

/** Where the invite that this person used made them a member, with their role of now. */
async function joinedBefore({ em }: Tx, { token, userId }: { token: string; userId: string }): Promise<Joined> {
  const rows = await em.execute<{ project_id: string; role: Role }[]>(
    `select m.project_id, m.role from invite
     join member m on m.project_id = invite.project_id and m.user_id = invite.used_by
     where invite.token_hash = ? and invite.used_by = ?`,
    [sha256Hex(token), userId],
  );
  if (rows[0] === undefined) throw noInvite();
  const { project_id: id, role } = rows[0];
  const project = await em.findOne(Project, { id, deletedAt: null });
  if (project === null) throw noInvite();
  return { project, role };
}

/** The conditional UPDATE alone decides who was first. */
async function useUp({ em }: Tx, { id, actor }: { id: string; actor: MemberActor }): Promise<void> {
  const used = await em.execute<{ id: string }[]>(
    `update invite set used_at = now(), used_by = ? where id = ? and ${OPEN} returning id`,
    [actor.userId, id, actor.address],
  );
  if (used.length === 0) throw noInvite();
}

export const noInvite = () =>
  new Refusal(
    'not_found',
    'This invite is no longer valid: it was used, revoked, has expired, or is for another wallet. Ask for a new one.',
  );
