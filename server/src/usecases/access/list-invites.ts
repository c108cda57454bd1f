// Lists the invites of a project that can still be accepted.
import { Invite } from '../../db/entities/invite.ts';
import { User } from '../../db/entities/user.ts';
import { requirePermission } from './membership.ts';
import type { MemberActor, Services } from '../services.ts';

export interface InviteView {
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
