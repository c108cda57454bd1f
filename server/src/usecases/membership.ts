// Tenants and roles: another project's things do not exist (404); a thing you see but may not do is 403 (rule PM).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/words';
import { may, type Verb } from '../domain/permissions.ts';
import type { Em } from '../db/orm.ts';
import { Item } from '../db/entities/item.ts';
import { Member } from '../db/entities/member.ts';

export const nothingHere = () => new Refusal('not_found', 'Check the id: nothing of yours has it.');

/** The role of a user in a project, or 404. */
export async function roleIn(em: Em, userId: string, projectId: string): Promise<Role> {
  const member = await em.findOne(Member, { projectId, userId });
  if (member === null) throw nothingHere();
  return member.role;
}

/** The role, kept as it is until the transaction ends: who takes it away waits. Null for who is no member. */
export async function holdRole(em: Em, userId: string, projectId: string): Promise<Role | null> {
  const rows = await em.execute<{ role: Role }[]>(
    'select role from member where project_id = ? and user_id = ? for share',
    [projectId, userId],
  );
  return rows[0]?.role ?? null;
}

/** The role as `roleIn` has it, and 403 unless it may do this. */
export async function requireVerb(em: Em, who: { userId: string; projectId: string }, verb: Verb): Promise<Role> {
  const role = await roleIn(em, who.userId, who.projectId);
  refuseUnless(role, verb);
  return role;
}

export function refuseUnless(role: Role, verb: Verb): void {
  if (!may(role, verb)) throw new Refusal('forbidden', `As ${role} you may not do this. Ask an owner of the project.`);
}

/** An item a user may see, with their role in its project; 404 otherwise, the same as for an id that never existed. */
export async function findItem(em: Em, userId: string, itemId: string): Promise<{ item: Item; role: Role }> {
  const item = await em.findOne(Item, { id: itemId });
  if (item === null) throw nothingHere();
  return { item, role: await roleIn(em, userId, item.projectId) };
}
