// Accepts an invite: it adds one person, once, however many try at the same moment (PM3).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { sha256Hex } from '../../crypto/tokens.ts';
import { isRaise } from '../../domain/access/pool.ts';
import type { Tx } from '../../db/database.ts';
import { Project } from '../../db/entities/project.ts';
import { lockProject } from '../../db/lock-project.ts';
import { refuseBlocked } from './blocked.ts';
import { lockRole } from './membership.ts';
import { changeMembership } from './change-membership.ts';
import { nameOf } from '../projects/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

/** The conditions of an open invite, for the wallet in the parameter. */
const OPEN = `used_at is null and revoked_at is null and expires_at > now() and (address is null or address = ?)
  and exists (select 1 from project p where p.id = invite.project_id and p.archived_at is null)`;

/**
 * Joins the project of the invite with its role. A member gets the higher of the two roles, and an invite that would not raise
 * theirs stays open. Errors: `not_found`, the same for every token that this person cannot use.
 */
export async function acceptInvite(
  services: Services,
  actor: MemberActor,
  token: string,
): Promise<{ project: Project; role: Role }> {
  return services.db.write(async (tx) => {
    const {
      id,
      role,
      project_id: projectId,
      created_by: maker,
    } = await findOpen(tx, { token, address: actor.address });
    await lockProject(tx.em, projectId);
    await refuseBlocked(tx.em, actor.userId);
    const project = await tx.em.findOneOrFail(Project, { id: projectId });
    const from = await lockRole(tx.em, actor.userId, projectId);
    if (from !== null && !isRaise({ from, to: role })) return { project, role: from };
    await useUp(tx, { id, actor });
    const invitedBy = maker === null ? null : await nameOf(tx, maker);
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

async function findOpen({ em }: Tx, { token, address }: { token: string; address: string }): Promise<Open> {
  const rows = await em.execute<Open[]>(
    `select id, project_id, role, created_by from invite where token_hash = ? and ${OPEN}`,
    [sha256Hex(token), address],
  );
  if (rows[0] === undefined) throw noInvite();
  return rows[0];
}

/** The conditional UPDATE alone decides who was first. */
async function useUp({ em }: Tx, { id, actor }: { id: string; actor: MemberActor }): Promise<void> {
  const used = await em.execute<{ id: string }[]>(
    `update invite set used_at = now(), used_by = ? where id = ? and ${OPEN} returning id`,
    [actor.userId, id, actor.address],
  );
  if (used.length === 0) throw noInvite();
}

const noInvite = () =>
  new Refusal(
    'not_found',
    'This invite is no longer valid: it was used, revoked, has expired, or is for another wallet. Ask for a new one.',
  );
