// The fence in the database: one conditional UPDATE grants a claim. Whatever the lock store says, this alone decides (I3, I4).
import type { Tx } from '../db/database.ts';
import { Item } from '../db/entities/item.ts';
import { memberRef } from '../domain/actor.ts';
import { mayHold } from '../domain/pool.ts';
import { holdRole } from './membership.ts';
import type { MemberActor } from './services.ts';

export interface Grant {
  item: Item;
  fence: number;
  expiresAt: Date;
}

/**
 * Claims the item for the actor if it is open and nobody else's claim is live by the database's clock.
 * A live claim of the actor's own is renewed under the same fence; otherwise the fence rises by one.
 * @returns null when the item is decided, someone else's, or not for the actor's role (PM2).
 */
export async function grantClaim(
  tx: Tx,
  actor: MemberActor,
  { itemId, projectId, leaseSeconds }: { itemId: string; projectId: string; leaseSeconds: number },
): Promise<Grant | null> {
  // Whoever takes this role away waits for us and finds the claim, or was first and we find no role.
  const role = await holdRole(tx.em, actor.userId, projectId);
  const rows = await tx.em.execute<{ renewed: boolean }[]>(
    `update item set
       claim_fence = item.claim_fence + case when was.mine then 0 else 1 end,
       version = item.version + case when was.mine then 0 else 1 end,
       claimed_by = ?,
       claim_expires_at = now() + make_interval(secs => ?)
     from (select id, coalesce(claimed_by = ? and claim_expires_at > now(), false) as mine from item where id = ? for update) was
     where item.id = was.id and item.status = any(?::text[])
       and (was.mine or item.claim_expires_at is null or item.claim_expires_at <= now())
     returning was.mine as renewed`,
    [actor.userId, leaseSeconds, actor.userId, itemId, `{${mayHold(role).join(',')}}`],
  );
  if (rows.length === 0) return null;
  const item = await tx.em.findOneOrFail(Item, { id: itemId }, { refresh: true });
  const expiresAt = item.claimExpiresAt as Date;
  if (!rows[0]?.renewed) {
    tx.record({
      type: 'item.claimed',
      project_id: item.projectId,
      item_id: item.id,
      version: item.version,
      actor: memberRef(actor),
      expires_at: expiresAt.toISOString(),
    });
  }
  return { item, fence: item.claimFence, expiresAt };
}
