// Lists a project's members and its API keys.
import type { Role } from '@countersign/shared/enums';
import type { Em } from '../../db/orm.ts';
import { ApiKey } from '../../db/entities/api-key.ts';
import { Member } from '../../db/entities/member.ts';
import { User } from '../../db/entities/user.ts';
import { isArchived, ownersOf, requirePermission, roleIn } from './membership.ts';
import type { MemberActor, Services } from '../services.ts';

export interface PoolMember {
  user: User;
  role: Role;
  /** How many items they hold now. */
  holding: number;
}

/** The pool as one member sees it. */
export interface Pool {
  members: PoolMember[];
  viewer: { userId: string; role: Role };
  /** Those who are not blocked (A20). */
  owners: readonly string[];
  archived: boolean;
}

/** The reviewer pool, oldest member first. Every member may see it. Errors: `not_found`. */
export function readPool(services: Services, actor: MemberActor, projectId: string): Promise<Pool> {
  return services.db.read(async (em) => {
    const viewer = { userId: actor.userId, role: await roleIn(em, actor.userId, projectId) };
    const members = await em.find(Member, { projectId }, { orderBy: { createdAt: 'asc', userId: 'asc' } });
    const users = await em.find(User, { id: { $in: members.map((member) => member.userId) } });
    const byId = new Map(users.map((user) => [user.id, user]));
    const held = await heldBy(em, projectId);
    const memberships = members.flatMap(({ userId, role }) => {
      const user = byId.get(userId);
      return user ? [{ user, role, holding: held.get(userId) ?? 0 }] : [];
    });
    return {
      members: memberships,
      viewer,
      owners: await ownersOf(em, projectId),
      archived: await isArchived(em, projectId),
    };
  });
}

/** Live claims by holder. */
async function heldBy(em: Em, projectId: string): Promise<Map<string, number>> {
  const rows = await em.execute<{ claimed_by: string; n: number }[]>(
    `select claimed_by, count(*)::int as n from item
     where project_id = ? and claim_expires_at is not null and claimed_by is not null group by claimed_by`,
    [projectId],
  );
  return new Map(rows.map((row) => [row.claimed_by, row.n]));
}

/** The keys with their authors, newest first, revoked ones included; for owners. */
export function listApiKeys(
  services: Services,
  actor: MemberActor,
  projectId: string,
): Promise<{ key: ApiKey; maker: User | null }[]> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_keys');
    const keys = await em.find(ApiKey, { projectId }, { orderBy: { createdAt: 'desc', id: 'desc' } });
    const makers = await em.find(User, { id: { $in: [...new Set(keys.flatMap(({ createdBy }) => createdBy ?? []))] } });
    const byId = new Map(makers.map((user) => [user.id, user]));
    return keys.map((key) => ({ key, maker: byId.get(key.createdBy ?? '') ?? null }));
  });
}
