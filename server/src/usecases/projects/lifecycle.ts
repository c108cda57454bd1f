// The end of a project: archived, it rests and can be restored (AR1); deleted, it is gone for everybody at once (AR2).
import { REVOKED } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import { lockProject } from '../../db/lock-project.ts';
import { countContents } from './read-contents.ts';
import { endOffers } from '../access/end-offers.ts';
import { lockRole, isArchived, notFound, refuseUnless, requirePermission } from '../access/membership.ts';
import { recordChange } from './record-change.ts';
import { releaseLocks, releaseAllClaims } from '../claims/release-claims.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Archives a project: from here on nothing is taken in or handed out, and every claim is given back. What is decided is
 * finished. Archiving twice does nothing more. Errors: `not_found`, `forbidden`.
 */
export async function archiveProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  const ended = await services.db.write(async (tx) => {
    await lockAsOwner(tx, actor, projectId);
    if (await isArchived(tx.em, projectId)) return [];
    // A claim under way holds its member's role: either we wait here and find it below, or it waits and finds the project archived.
    await tx.em.execute('select user_id from member where project_id = ? order by user_id for update', [projectId]);
    await tx.em.execute('update project set archived_at = now() where id = ?', [projectId]);
    // Nobody is to find themself in a project that comes back months later (PM5).
    const offers = (await endOffers(tx, projectId, { all: true })).length;
    const along = offers === 0 ? {} : { after: { offers_revoked: offers } };
    const change = { projectId, changed: ['archived' as const], action: 'project.archived' as const, ...along };
    await recordChange(services, { tx, actor }, change);
    return releaseAllClaims(tx, actor, projectId);
  });
  await releaseLocks(services, ended);
}

/** Opens an archived project again; one that is open stays as it is. Errors: `not_found`, `forbidden`. */
export async function restoreProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  await services.db.write(async (tx) => {
    await lockAsOwner(tx, actor, projectId);
    if (!(await isArchived(tx.em, projectId))) return;
    await tx.em.execute('update project set archived_at = null where id = ?', [projectId]);
    const change = { projectId, changed: ['archived' as const], action: 'project.restored' as const };
    await recordChange(services, { tx, actor }, change);
  });
}

/**
 * Deletes a project. Its members, keys, sources and invites end here, and nothing of it is sent any more; the rows themselves
 * go in portions (`worker/purge.ts`). The change log keeps what there was. Errors: `not_found`, `forbidden`.
 */
export async function deleteProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  const { ended, keyIds } = await services.db.write(async (tx) => {
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_project');
    // Counted before anybody has to wait for us.
    const contents = await countContents(tx.em, projectId);
    await lockAsOwner(tx, actor, projectId);
    const subject = await nameOfProject(tx, projectId);
    const change = { projectId, subject, action: 'project.deleted' as const, before: { ...contents } };
    // Told before the claims, and with the members: every socket has left the room when anything later is sent (I8).
    await recordChange(services, { tx, actor }, { ...change, changed: ['archived', 'members'] });
    await tx.em.execute('delete from member where project_id = ?', [projectId]);
    await endOffers(tx, projectId, { all: true });
    const revoked = await revokeAccess(tx, projectId);
    return { ended: await releaseAllClaims(tx, actor, projectId), keyIds: revoked };
  });
  // After the commit: from here on no lookup can find the keys (K4).
  for (const keyId of keyIds) services.keys.forget(keyId);
  await releaseLocks(services, ended);
}

/** The project to itself, for an owner. Asked again after the wait: of two who delete it one finds nothing any more. */
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

/** Everything by which something comes in or goes out. What waits to be sent has nowhere to go any more, and goes with the rest;
 * to call off a million of them here would hold up the relay, which waits for this row. Answers the ids of the keys that were good until now. */
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
    `update delivery set status = 'cancelled', claim_token = null, lease_until = null, next_attempt_at = null, completed_at = now()
     where project_id = ? and status = 'sending'`,
  ]) {
    await em.execute(close, [projectId]);
  }
  return keys.map(({ id }) => id);
}
