// LC5: a supervisor claims several items of one project at once, all of them or none.
import { Refusal } from '@countersign/shared/errors';
import type { Role } from '@countersign/shared/enums';
import { claimPermission, isOpen } from '../../domain/items/item.ts';
import type { RowItem } from '../../domain/items/item-row.ts';
import type { Tx } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { Item } from '../../db/entities/item.ts';
import { Project } from '../../db/entities/project.ts';
import { lockClaimantAndRole, uuidArray } from './claim-limit.ts';
import { appendClaimed } from './claim-pick.ts';
import { lockHolders, confirmLock, type HeldUntil, isLockOf, isProvisional } from './claim-store.ts';
import { notFound, refuseArchived, refuseUnless, requirePermission } from '../access/membership.ts';
import { badField } from '../access/change-membership.ts';
import { claimRefusal, closedRefusal, holderOf } from './refuse-claim.ts';
import type { MemberActor, Services } from '../services.ts';

/** Excluded columns: the content of a hundred items is megabytes that a claim does not need. */
const CONTENT = ['input', 'suggestion', 'metadata'] as const;
type ClaimItem = RowItem & Pick<Item, 'claimedBy' | 'claimFence' | 'claimExpiresAt' | 'expiredAt' | 'decidedAt'>;

interface BulkClaimed {
  item: ClaimItem;
  fence: number;
  expiresAt: Date;
}

interface BulkClaim {
  projectId: string;
  itemIds: readonly string[];
}

/**
 * Claims every one of the items, in the given order; items that the actor holds already are renewed. If one cannot be claimed,
 * nothing changes, and the refusal is that of the first such item, with its position in `errors`. The claim limit (LC4) does not
 * prevent it, but counts the items. Errors: `not_found`, `forbidden`, `already_decided`, `claim_held` (with holder and
 * expires_at), `validation_failed` for an item named twice.
 */
export async function claimBulk(services: Services, actor: MemberActor, bulk: BulkClaim): Promise<BulkClaimed[]> {
  const { projectId, itemIds } = bulk;
  refuseDuplicates(itemIds);
  await services.db.read((em) => requirePermission(em, { userId: actor.userId, projectId }, 'bulk_claim'));
  // Only the lock store knows whether a lease that has ended in the database was renewed. No lock is acquired here, so none has
  // to be released.
  const locks = await lockHolders(services, itemIds);
  const taken = await services.db.write((tx) => take(tx, actor, { ...bulk, locks }));
  await Promise.all(
    taken.map(({ item, fence, seconds }) =>
      confirmLock(services, { itemId: item.id, userId: actor.userId, fence, ms: seconds * 1000 }),
    ),
  );
  return taken;
}

function refuseDuplicates(itemIds: readonly string[]): void {
  const twice = itemIds.findIndex((id, index) => itemIds.indexOf(id) < index);
  if (twice !== -1) throw badField(`item_ids/${twice}`, 'This item is listed twice.');
}

async function take(
  tx: Tx,
  actor: MemberActor,
  { projectId, itemIds, locks }: BulkClaim & { locks: ReadonlyMap<string, HeldUntil> },
): Promise<(BulkClaimed & { seconds: number })[]> {
  // The person, then the role, then the items by id: the order in which every claim locks them.
  const role = await lockClaimantAndRole(tx.em, actor.userId, projectId);
  if (role === null) throw notFound();
  refuseUnless(role, 'bulk_claim');
  await refuseArchived(tx.em, projectId);
  const items = await lockItems(tx.em, projectId, itemIds);
  for (const [index, id] of itemIds.entries()) {
    const refusal = await obstacle(tx.em, { ...items.get(id), lock: locks.get(id), role, actor });
    if (refusal !== null) throw at(index, refusal);
  }
  const { claimLeaseSeconds: seconds } = await tx.em.findOneOrFail(Project, { id: projectId });
  const renewedIds = itemIds.filter((id) => isLeaseLive(items.get(id)?.item, locks.get(id)));
  const renewed = await claimRows(tx.em, actor, { itemIds, renewedIds, seconds });
  const now = await tx.em.find(Item, { id: { $in: [...itemIds] } }, { refresh: true, exclude: CONTENT });
  const byId = new Map(now.map((item) => [item.id, item]));
  return itemIds.map((id) => {
    const item: ClaimItem = byId.get(id) as ClaimItem;
    if (!renewed.has(id)) appendClaimed(tx, actor, item);
    return { item, fence: item.claimFence, expiresAt: item.claimExpiresAt as Date, seconds };
  });
}

interface Found {
  item: ClaimItem;
  /** It waits for people, and is locked until the transaction ends. */
  open: boolean;
}

/** Those of the items that are in the project; only open ones are locked. */
async function lockItems(em: Em, projectId: string, itemIds: readonly string[]): Promise<Map<string, Found>> {
  const held = await em.execute<{ id: string }[]>(
    `select id from item where id = any(?::uuid[]) and project_id = ? and status in ('queued', 'escalated')
     order by id for update`,
    [uuidArray(itemIds), projectId],
  );
  const open = new Set(held.map(({ id }) => id));
  const items = await em.find(Item, { id: { $in: [...itemIds] }, projectId }, { exclude: CONTENT });
  return new Map(items.map((item) => [item.id, { item, open: open.has(item.id) }]));
}

const isLeaseLive = (item: ClaimItem | undefined, lock: HeldUntil | undefined) =>
  item !== undefined && lock !== undefined && isLockOf(lock, item);

interface Wanted extends Partial<Found> {
  /** The holder of its lock. */
  lock: HeldUntil | undefined;
  role: Role;
  actor: MemberActor;
}

/** Why this item cannot be claimed, or null. An item of another project does not exist. */
async function obstacle(em: Em, { item, open, lock, role, actor }: Wanted): Promise<Refusal | null> {
  if (item === undefined) return notFound();
  if (!open || !isOpen(item.status)) return closedRefusal(item);
  refuseUnless(role, claimPermission(item.status));
  // A lock whose claim has ended holds up nobody: it is replaced with the confirmation.
  const locked = lock !== undefined && (isProvisional(lock) || isLockOf(lock, item)) ? lock : null;
  const holder = (await liveHolder(em, item)) ?? locked;
  if (holder === null || holder.userId === actor.userId) return null;
  return claimRefusal(em, 'claim_held', holder);
}

/** The holder by the database's clock. */
async function liveHolder(em: Em, item: ClaimItem) {
  const holder = holderOf(item);
  if (holder === null) return null;
  const live = await em.execute('select 1 from item where id = ? and claim_expires_at > now()', [item.id]);
  return live.length > 0 ? holder : null;
}

/** The refusal with the position of the item. */
function at(index: number, { code, detail, extras }: Refusal): Refusal {
  return new Refusal(code, detail, { ...extras, errors: [{ pointer: `#/item_ids/${index}`, code, detail }] });
}

/** Grants all the claims: the fence of each rises, unless the actor holds it already. Returns the ids of those renewed. */
async function claimRows(
  em: Em,
  actor: MemberActor,
  { itemIds, renewedIds, seconds }: { itemIds: readonly string[]; renewedIds: readonly string[]; seconds: number },
): Promise<Set<string>> {
  const rows = await em.execute<{ id: string; mine: boolean }[]>(
    `update item set
       claim_fence = item.claim_fence + case when was.mine then 0 else 1 end,
       version = item.version + case when was.mine then 0 else 1 end,
       claimed_by = ?, claim_expires_at = now() + make_interval(secs => ?)
     from (select id, coalesce(claimed_by = ? and (claim_expires_at > now() or (claim_expires_at is not null and id = any(?::uuid[]))), false) as mine
           from item where id = any(?::uuid[])) was
     where item.id = was.id
     returning item.id, was.mine`,
    [actor.userId, seconds, actor.userId, uuidArray(renewedIds), uuidArray(itemIds)],
  );
  return new Set(rows.flatMap(({ id, mine }) => (mine ? [id] : [])));
}
