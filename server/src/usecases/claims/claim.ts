// A reviewer claims an item: first the lock (who holds it now), then the fence in the database (whose decision counts).
import type { ItemStatus, Role } from '@countersign/shared/enums';
import { claimPermission, isOpen } from '../../domain/items/item.ts';
import { Item } from '../../db/entities/item.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { Permission } from '../../domain/access/permissions.ts';
import { withinLimit } from './claim-limit.ts';
import { grantClaim, type Grant, type Terms } from './claim-row.ts';
import { releaseLock, acquireLock, confirmLock, type HeldUntil, isLockOf, isProvisional } from './claim-store.ts';
import { notFound, refuseIfArchived, refuseUnless } from '../access/membership.ts';
import { noteSeenItem } from '../access/seen-item.ts';
import { claimRefusal, closedRefusal, refusalFor } from './refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Claims an item, or renews the actor's own claim. Errors: `not_found`, `forbidden`, `already_decided`, `claim_held` (with holder
 * and expires_at), `too_many_claims` (LC4).
 */
export async function claim(services: Services, actor: MemberActor, itemId: string): Promise<Grant> {
  const terms = await termsFor(services, actor, { itemId });
  const holder = await acquireOrHolder(services, itemId, actor.userId);
  if (holder !== null && holder.userId !== actor.userId) {
    throw await services.db.read((em) => claimRefusal(em, 'claim_held', holder));
  }
  const release = () => releaseLock(services, { itemId, userId: actor.userId, fence: holder?.fence ?? 0 });
  const granting = withinLimit(services, actor, (tx, ended) => grantClaim(tx, actor, { ...terms, ended }));
  const grant = await granting.catch(async (error: unknown) => {
    // A lock that existed before belongs to a claim that still exists.
    if (holder === null) await release();
    throw error;
  });
  if (grant === null) {
    await release();
    // The role may have been removed meanwhile: that refusal takes precedence.
    await termsFor(services, actor, { itemId });
    throw await services.db.read(async (em) =>
      refusalFor(em, await em.findOneOrFail(Item, { id: itemId }), 'claim_held'),
    );
  }
  return confirm(services, actor, { ...grant, leaseSeconds: terms.leaseSeconds });
}

/**
 * As `acquireLock`, but releases a lock whose claim has ended in the database first: the database wins. Such a lock is left when
 * the claim ended while the lock store was down. A claim that has ended never goes on under the same fence.
 */
async function acquireOrHolder(services: Services, itemId: string, userId: string): Promise<HeldUntil | null> {
  const holder = await acquireLock(services, itemId, userId);
  if (holder === null || holder.userId === userId || isProvisional(holder)) return holder;
  const row = await services.db.read((em) => em.findOne(Item, { id: itemId }, { fields: CLAIM_COLUMNS }));
  if (row === null || isLockOf(holder, row)) return holder;
  await releaseLock(services, { itemId, userId: holder.userId, fence: holder.fence });
  return acquireLock(services, itemId, userId);
}

/** Binds the lock to the granted fence. */
export async function confirm(
  services: Services,
  actor: MemberActor,
  granted: Grant & { leaseSeconds: number },
): Promise<Grant> {
  const { item, fence, expiresAt, leaseSeconds } = granted;
  await confirmLock(services, { itemId: item.id, userId: actor.userId, fence, ms: leaseSeconds * 1000 });
  return { item, fence, expiresAt };
}

const CLAIM_COLUMNS = ['claimedBy', 'claimFence', 'claimExpiresAt'] as const;

/** $1: the item; $2: the user. Only members find it. */
const TERMS = planned(`
  select i.status, i.project_id, m.role, p.claim_lease_seconds, p.archived_at is not null as archived, p.deleted_at is not null as deleted
  from item i join member m on m.project_id = i.project_id and m.user_id = $2 join project p on p.id = i.project_id
  where i.id = $1`);

interface Found {
  status: ItemStatus;
  project_id: string;
  role: Role;
  claim_lease_seconds: number;
  archived: boolean;
  deleted: boolean;
}

/** The terms of a claim on this item, if the actor may claim it and has the permission `needs`. */
export async function termsFor(
  services: Services,
  actor: MemberActor,
  { itemId, needs }: { itemId: string; needs?: Permission },
): Promise<Terms> {
  return services.db.read(async (em) => {
    const [found] = await rawQuery<Found>(em, TERMS, [itemId, actor.userId]);
    if (found === undefined) throw notFound();
    noteSeenItem(itemId);
    const { status, role, archived, deleted } = found;
    if (needs !== undefined) refuseUnless(role, needs);
    if (!isOpen(status)) throw closedRefusal(await em.findOneOrFail(Item, { id: itemId }));
    refuseUnless(role, claimPermission(status));
    refuseIfArchived({ archivedAt: archived, deletedAt: deleted });
    return { itemId, projectId: found.project_id, leaseSeconds: found.claim_lease_seconds };
  });
}
