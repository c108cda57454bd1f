// Checks membership, roles and permissions (PM), and refuses changes of archived projects (AR1).
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { may, type Permission } from '../../domain/access/permissions.ts';
import { lockProject } from '../../db/lock-project.ts';
import type { Em } from '../../db/orm.ts';
import { Item, itemColumns, type ItemColumns } from '../../db/entities/item.ts';
import { Member } from '../../db/entities/member.ts';
import { planned } from '../../db/connection/planned.ts';
import { entityFromRow } from '../../db/entity-from-row.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { noteSeenItem } from './seen-item.ts';

export const notFound = () => new Refusal('not_found', 'No such ID in your projects.');

/** The role of a user in a project, or 404. */
export async function roleIn(em: Em, userId: string, projectId: string): Promise<Role> {
  const member = await em.findOne(Member, { projectId, userId });
  if (member === null) throw notFound();
  return member.role;
}

/**
 * The person whose limits the keys of a project count for (PW2, MB1) when their author is unknown: the owner who has been a
 * member longest. The project itself when it has no owner.
 */
export async function ownerOf(em: Em, projectId: string): Promise<string> {
  const [first] = await em.execute<{ user_id: string }[]>(
    "select user_id from member where project_id = ? and role = 'owner' order by created_at, user_id limit 1",
    [projectId],
  );
  return first?.user_id ?? projectId;
}

/** The owners who can act, because the operator did not block them (A20). */
export async function ownersOf(em: Em, projectId: string): Promise<string[]> {
  const rows = await em.execute<{ user_id: string }[]>(
    `select m.user_id from member m join app_user u on u.id = m.user_id
     where m.project_id = ? and m.role = 'owner' and u.blocked_at is null`,
    [projectId],
  );
  return rows.map(({ user_id: id }) => id);
}

/** Whether such an owner would remain without the member `m`, as SQL. */
export const OTHER_OWNER = `exists (select from member o join app_user u on u.id = o.user_id
  where o.project_id = m.project_id and o.role = 'owner' and o.user_id <> m.user_id and u.blocked_at is null)`;

const LOCK_ROLE = planned('select role from member where project_id = $1 and user_id = $2 for share');

/** The role, locked until the transaction ends, so that a change of it waits. Null for someone who is not a member. */
export async function lockRole(em: Em, userId: string, projectId: string): Promise<Role | null> {
  const [row] = await rawQuery<{ role: Role }>(em, LOCK_ROLE, [projectId, userId]);
  return row?.role ?? null;
}

/** A role that is locked until the transaction ends. */
export interface LockedRole {
  projectId: string;
  role: Role;
  /** The entries of the project's `skills` that name the person (SK2). */
  skills: readonly string[];
  /** Items of the project that wait are reserved, or were until their time passed (SK3). */
  hasReserved: boolean;
}

/** A locked role as the database returns it. */
export interface LockedRoleRow {
  project_id: string;
  role: Role;
  skills: string;
  has_reserved: boolean;
}

/** The columns of a locked role. */
export const LOCKED_ROLE = `m.project_id, m.role,
  array_to_json(array(select s.skill from skill s where s.project_id = m.project_id and m.user_id = any(s.people) order by 1))::text as skills,
  exists (select from item i where i.project_id = m.project_id and i.status = 'queued' and i.reserved_for is not null) as has_reserved`;

export const toLockedRole = (row: LockedRoleRow): LockedRole => ({
  projectId: row.project_id,
  role: row.role,
  skills: JSON.parse(row.skills) as string[],
  hasReserved: row.has_reserved,
});

/** The roles in several projects, locked in the order of project ids to prevent deadlocks. */
export async function lockRoles(em: Em, userId: string, projectIds: readonly string[]): Promise<LockedRole[]> {
  const rows = await em.execute<LockedRoleRow[]>(
    `select ${LOCKED_ROLE} from member m where m.user_id = ? and m.project_id = any(?::uuid[]) order by m.project_id for share of m`,
    [userId, `{${projectIds.join(',')}}`],
  );
  return rows.map(toLockedRole);
}

/** The role from `roleIn`, and 403 unless it has the permission. */
export async function requirePermission(
  em: Em,
  who: { userId: string; projectId: string },
  permission: Permission,
): Promise<Role> {
  const role = await roleIn(em, who.userId, who.projectId);
  refuseUnless(role, permission);
  return role;
}

/**
 * The role from `requirePermission`, for a change that an archived project refuses (AR1): new keys, sources and invites, new
 * members, settings. Removing a right needs only the permission. The project stays locked until the transaction ends: nobody
 * archives or deletes it meanwhile.
 */
export async function requireChange(
  em: Em,
  who: { userId: string; projectId: string },
  permission: Permission,
): Promise<Role> {
  await lockProject(em, who.projectId);
  const role = await requirePermission(em, who, permission);
  await refuseArchived(em, who.projectId);
  return role;
}

/** 403 when the project is archived (AR1), 404 when it was deleted since the role was read (AR2). */
export async function refuseArchived(em: Em, projectId: string): Promise<void> {
  const [row] = await em.execute<{ archived: boolean; deleted: boolean }[]>(
    'select archived_at is not null as archived, deleted_at is not null as deleted from project where id = ?',
    [projectId],
  );
  refuseIfArchived({ archivedAt: row?.archived, deletedAt: row === undefined || row.deleted });
}

/** The same for a project that is already loaded. */
export function refuseIfArchived({ archivedAt, deletedAt }: { archivedAt?: unknown; deletedAt?: unknown }): void {
  if (deletedAt) throw notFound();
  if (archivedAt) throw archivedRefusal();
}

export const archivedRefusal = () =>
  new Refusal('forbidden', 'The project is archived (read-only) until an owner restores it.');

const ARCHIVED = planned('select 1 from project where id = $1 and archived_at is not null');

/** Reads the database directly: code that waited for a lock on a role or the project checks again after it. */
export async function isArchived(em: Em, projectId: string): Promise<boolean> {
  return (await rawQuery(em, ARCHIVED, [projectId])).length > 0;
}

export function refuseUnless(role: Role, permission: Permission): void {
  if (!may(role, permission))
    throw new Refusal('forbidden', `Your role (${role}) doesn’t allow this. Ask an owner of the project.`);
}

const FIND_ITEM = planned(
  `select ${itemColumns('i')}, m.role from item i join member m on m.project_id = i.project_id and m.user_id = $2 where i.id = $1`,
);

/** An item a user may see, with their role in its project; 404 otherwise, the same as for an id that never existed. */
export async function findItem(em: Em, userId: string, itemId: string): Promise<{ item: Item; role: Role }> {
  const [found] = await rawQuery<ItemColumns & { role: Role }>(em, FIND_ITEM, [itemId, userId]);
  if (found === undefined) throw notFound();
  noteSeenItem(itemId);
  const { role, ...columns } = found;
  return { item: entityFromRow(em, Item, columns), role };
}

/** RL8. Errors: `validation_failed`. */
export function refuseBeyond(count: number, { most, detail }: { most: number; detail: string }): void {
  if (count < most) return;
  const text = `This project has reached the limit of ${most}. ${detail}`;
  throw new Refusal('validation_failed', text, { errors: [{ pointer: '#', code: 'too_many', detail: text }] });
}
