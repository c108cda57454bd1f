// Reads what an invite offers to the person who opened its link (PM3). Nothing changes.
import type { Role } from '@countersign/shared/enums';
import { sha256Hex } from '../../crypto/tokens.ts';
import { displayName } from '../../domain/access/actor.ts';
import { isRaise } from '../../domain/access/pool.ts';
import type { MemberActor, Services } from '../services.ts';
import { OPEN, noInvite } from './invites.ts';

interface Row {
  project_id: string;
  project_name: string;
  role: Role;
  mine: Role | null;
  open: boolean;
  by_name: string | null;
  by_address: string | null;
}

export interface OpenedInvite {
  project: { id: string; name: string };
  role: Role;
  /** Who created it; null where that is no longer known. */
  invitedBy: string | null;
  /** The role that this person has already; null for somebody who is not a member. */
  member: Role | null;
  /** Accepting it changes something. */
  acceptable: boolean;
}

/**
 * For the holder of the token. A member sees the project of any token of theirs, also of one that was used: it tells them nothing new.
 * Errors: `not_found`, the same for every token that this person can neither use nor has the project of.
 */
export function readInvite(services: Services, actor: MemberActor, token: string): Promise<OpenedInvite> {
  return services.db.read(async (em) => {
    const [row] = await em.execute<Row[]>(
      `select p.id as project_id, p.name as project_name, invite.role, m.role as mine, (${OPEN}) as open,
         u.name as by_name, u.address as by_address
       from invite join project p on p.id = invite.project_id and p.deleted_at is null
       left join member m on m.project_id = p.id and m.user_id = ? left join app_user u on u.id = invite.created_by
       where invite.token_hash = ?`,
      [actor.address, actor.userId, sha256Hex(token)],
    );
    if (row === undefined || (!row.open && row.mine === null)) throw noInvite();
    const { role, mine, open, by_name: name, by_address: address } = row;
    return {
      project: { id: row.project_id, name: row.project_name },
      role,
      invitedBy: address === null ? null : displayName({ name, address }),
      member: mine,
      acceptable: open && (mine === null || isRaise({ from: mine, to: role })),
    };
  });
}
