// Archives, restores and deletes projects: an archived one can be restored (AR1), a deleted one cannot (AR2).
import { CANCELLED } from '../../db/cancelled-delivery.ts';
import { REVOKED } from '../../db/connection/channels.ts';
import { ENDED_REMINDER } from '../../db/ended-reminder.ts';
import type { Tx } from '../../db/database.ts';
import { lockProject } from '../../db/lock-project.ts';
import { countContents } from './read-contents.ts';
import { endOffers } from '../access/end-offers.ts';
import { lockRole, isArchived, notFound, refuseUnless, requirePermission } from '../access/membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import { releaseLocks, releaseAllClaims } from '../claims/release-claims.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Archives a project: it accepts and assigns no items any more, and every claim is released. Decisions already made are
 * completed. A second call has no effect. Errors: `not_found`, `forbidden`.
 */
export async function archiveProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  const ended = await services.db.write(async (tx) => {
    await lockAsOwner(tx, actor, projectId);
    if (await isArchived(tx.em, projectId)) return [];
    // A claim in progress holds a lock on its member's role: either we wait here and find it below, or it waits and finds the
    // project archived.
    await tx.em.execute('select user_id from member where project_id = ? order by user_id for update', [projectId]);
    await tx.em.execute('update project set archived_at = now() where id = ?', [projectId]);
    await endReminders(tx, projectId);
    // An offer must not add anybody when the project is restored months later (PM5).
    const offers = (await endOffers(tx, projectId, { all: true })).length;
    const along = offers === 0 ? {} : { after: { offers_revoked: offers } };
    const change = { projectId, changed: ['archived' as const], action: 'project.archived' as const, ...along };
    await recordChange(services, { tx, by: memberRef(actor) }, change);
    return releaseAllClaims(tx, actor, projectId);
  });
  await releaseLocks(services, ended);
}

/** Restores an archived project; an open one is not changed. Errors: `not_found`, `forbidden`. */
export async function restoreProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  await services.db.write(async (tx) => {
    await lockAsOwner(tx, actor, projectId);
    if (!(await isArchived(tx.em, projectId))) return;
    await tx.em.execute('update project set archived_at = null where id = ?', [projectId]);
    // A process of an earlier version may have archived it.
    await endReminders(tx, projectId);
    const change = { projectId, changed: ['archived' as const], action: 'project.restored' as const };
    await recordChange(services, { tx, by: memberRef(actor) }, change);
  });
}

/** What waits would be told of long ago when the project is restored (NO2). */
async function endReminders({ em }: Tx, projectId: string): Promise<void> {
  await em.execute(
    `update notification_message set ${ENDED_REMINDER} where project_id = ? and status in ('pending', 'sending')`,
    [projectId],
  );
}

/**
 * Deletes a project. Its members, keys, sources and invites end here, and nothing of it is sent any more; the rows are deleted in
 * batches (`worker/purge.ts`). The change log records how much there was. Errors: `not_found`, `forbidden`.
 */
export async function deleteProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  const { ended, keyIds } = await services.db.write(async (tx) => {
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_project');
    // Counted before the lock, so that no other transaction waits for it.
    const contents = await countContents(tx.em, projectId);
    await lockAsOwner(tx, actor, projectId);
    const subject = await nameOfProject(tx, projectId);
    const change = { projectId, subject, action: 'project.deleted' as const, before: { ...contents } };
    // This event comes before those of the claims, together with the members: every socket has left the room when anything later
    // is sent (I8).
    await recordChange(services, { tx, by: memberRef(actor) }, { ...change, changed: ['archived', 'members'] });
    await tx.em.execute('delete from member where project_id = ?', [projectId]);
    await endOffers(tx, projectId, { all: true });
    const revoked = await revokeAccess(tx, projectId);
    return { ended: await releaseAllClaims(tx, actor, projectId), keyIds: revoked };
  });
  // After the commit: from here on no lookup finds the keys (K4).
  for (const keyId of keyIds) services.keys.forget(keyId);
  await releaseLocks(services, ended);
}

/** Locks the project for an owner. The role is read after the lock: of two concurrent deletions the second finds nothing. */
async function lockAsOwner({ em }: Tx, actor: MemberActor, projectId: string): Promise<void> {
  await lockProject(em, projectId);
  const role = await lockRole(em, actor.userId, projectId);
  if (role === null) throw notFound();
  refuseUnless(role, 'manage_project');
}

async function nameOfProject({ em }: Tx, projectId: string): Promise<string> {
  const [row] = await em.execute<{ name: string }[]>('select name from project where id = ?', [projectId]);
  if (row === undefined) throw notFound();
  return row.name;
}

/**
 * Ends all access to the project, and all its outgoing requests. Pending deliveries have no target any more
 * and are deleted with the other rows; cancelling a million of them here would delay the event relay, which
 * waits for this row. Returns the ids of the keys that were valid until now.
 */
async function revokeAccess({ em }: Tx, projectId: string): Promise<string[]> {
  const keys = await em.execute<{ id: string }[]>(
    'update api_key set revoked_at = now() where project_id = ? and revoked_at is null returning id',
    [projectId],
  );
  for (const { id } of keys) await em.execute('select pg_notify(?, ?)', [REVOKED, id]);
  for (const close of [
    'update inbound_source set removed_at = now() where project_id = ? and removed_at is null',
    'update invite set revoked_at = now() where project_id = ? and used_at is null and revoked_at is null',
    'update project set webhook_url = null, archived_at = coalesce(archived_at, now()), deleted_at = now() where id = ?',
    `update replay set state = 'cancelled', ended_at = now() where project_id = ? and state = 'running'`,
    `update delivery set ${CANCELLED}
     where project_id = ? and status = 'sending'`,
    // Last, as the workers do: they record an attempt, then what it says of its endpoint.
    'update webhook_endpoint set is_enabled = false where project_id = ?',
  ]) {
    await em.execute(close, [projectId]);
  }
  return keys.map(({ id }) => id);
}
