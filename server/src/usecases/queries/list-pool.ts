// A project's members and keys.
import type { Role } from '@countersign/shared/words';
import { ApiKey } from '../../db/entities/api-key.ts';
import { Member } from '../../db/entities/member.ts';
import { User } from '../../db/entities/user.ts';
import { requireVerb, roleIn } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** The reviewer pool, oldest member first. Every member may see it. */
export function listMembers(
  services: Services,
  actor: MemberActor,
  projectId: string,
): Promise<{ user: User; role: Role }[]> {
  return services.db.read(async (em) => {
    await roleIn(em, actor.userId, projectId);
    const members = await em.find(Member, { projectId }, { orderBy: { createdAt: 'asc', userId: 'asc' } });
    const users = await em.find(User, { id: { $in: members.map((member) => member.userId) } });
    const byId = new Map(users.map((user) => [user.id, user]));
    return members.flatMap((member) => {
      const user = byId.get(member.userId);
      return user ? [{ user, role: member.role }] : [];
    });
  });
}

/** The keys, newest first, revoked ones too; for owners. */
export function listApiKeys(services: Services, actor: MemberActor, projectId: string): Promise<ApiKey[]> {
  return services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId }, 'manage_keys');
    return em.find(ApiKey, { projectId }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  });
}
