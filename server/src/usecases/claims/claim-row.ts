// The fence in the database: one conditional UPDATE grants a claim. It overrides the lock store (I3, I4).
import type { Role } from '@countersign/shared/enums';
import type { Tx } from '../../db/database.ts';
import { Item, itemColumns, type ItemColumns } from '../../db/entities/item.ts';
import { User } from '../../db/entities/user.ts';
import { planned } from '../../db/connection/planned.ts';
import { entityFromRow } from '../../db/entity-from-row.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { displayName, memberRef } from '../../domain/access/actor.ts';
import { may } from '../../domain/access/permissions.ts';
import { mayHold, mayHoldOneMore } from '../../domain/access/pool.ts';
import { lockClaimantAndRole, refuseOverClaimLimit } from './claim-limit.ts';
import type { MemberActor } from '../services.ts';

export interface Grant {
  item: Item;
  fence: number;
  expiresAt: Date;
}

/** A claim of an open item, and the role by which it was granted. */
export interface ReviewerGrant extends Grant {
  role: Role;
}

export interface Terms {
  itemId: string;
  projectId: string;
  leaseSeconds: number;
  /** The actor's leases that are known to have ended: they do not count (LC4). */
  ended?: readonly string[];
}

/** A claim that may have been taken over from somebody else. */
export interface Seized extends Grant {
  from: { userId: string; fence: number } | null;
}

/**
 * Claims the item for the actor if it is open and nobody else's claim is live by the database's clock. A live claim of the actor
 * is renewed under the same fence; otherwise the fence rises by one. Errors: `too_many_claims` when the person has reached the
 * claim limit (LC4).
 * @returns null when the item is decided, held by someone else, or not open to the actor's role (PM2)
 */
export function grantClaim(tx: Tx, actor: MemberActor, terms: Terms): Promise<Grant | null> {
  return claimRow(tx, actor, { ...terms, seize: false });
}

/** The same, even if someone else holds it; `from` is the previous holder. */
export function seizeClaim(tx: Tx, actor: MemberActor, terms: Terms): Promise<Seized | null> {
  return claimRow(tx, actor, { ...terms, seize: true });
}

interface Claimed extends ItemColumns {
  renewed: boolean;
  was_holder: string | null;
  was_fence: number;
  /** The person's other claims; 0 for a renewal, which counts none. */
  others: number;
}

/**
 * $1: the user; $2: the lease in seconds; $3: the item; $4: the statuses that the role may hold; $5: even from somebody else.
 * It runs after the locks, so it sees whether the project was archived before them (AR1), and every other claim of the person.
 */
const CLAIM = planned(`
  update item set
    claim_fence = item.claim_fence + case when was.mine then 0 else 1 end,
    version = item.version + case when was.mine then 0 else 1 end,
    claimed_by = $1,
    claim_expires_at = now() + make_interval(secs => $2)
  from (select id, claimed_by, claim_fence, claim_expires_at,
          coalesce(claimed_by = $1 and claim_expires_at > now(), false) as mine
        from item where id = $3 for update) was
  where item.id = was.id and item.status = any($4::text[])
    and (was.mine or $5 or item.claim_expires_at is null or item.claim_expires_at <= now())
    and not exists (select from project p where p.id = item.project_id and p.archived_at is not null)
  returning ${itemColumns('item')}, was.mine as renewed, was.claim_fence as was_fence,
    case when was.claim_expires_at is not null and not was.mine then was.claimed_by end as was_holder,
    case when was.mine then 0 else (select count(*)::int from item other
      where other.claimed_by = $1 and other.claim_expires_at is not null and other.id <> $3) end as others`);

async function claimRow(tx: Tx, actor: MemberActor, terms: Terms & { seize: boolean }): Promise<Seized | null> {
  const { itemId, projectId, leaseSeconds, seize, ended } = terms;
  // A change of this role, or archiving the project, waits for us and finds the claim; or it was first and we find no role, or
  // an archived project (AR1).
  const role = await lockClaimantAndRole(tx.em, actor.userId, projectId);
  // Checked again under the lock, because the role may have changed since it was read.
  if (seize && (role === null || !may(role, 'take_over'))) return null;
  const open = `{${mayHold(role).join(',')}}`;
  const [row] = await rawQuery<Claimed>(tx.em, CLAIM, [actor.userId, leaseSeconds, itemId, open, seize]);
  if (row === undefined) return null;
  const { renewed, was_holder: holder, was_fence: fence, others, ...columns } = row;
  // Only what would be refused is counted again: without leases that have ended, and without claims that ended while this waited.
  if (!mayHoldOneMore(others)) await refuseOverClaimLimit(tx.em, actor.userId, { but: itemId, ended });
  // Only the holder of a live claim is named in the event; an expired claim belonged to nobody.
  const from = seize && holder !== actor.userId ? holder : null;
  const item = entityFromRow(tx.em, Item, columns);
  if (!renewed) await appendClaimed(tx, actor, { item, from });
  const taken = from === null ? null : { userId: from, fence };
  return { item, fence: item.claimFence, expiresAt: item.claimExpiresAt as Date, from: taken };
}

async function appendClaimed(
  tx: Tx,
  actor: MemberActor,
  { item, from }: { item: Item; from: string | null },
): Promise<void> {
  const user = from === null ? null : await tx.em.findOne(User, { id: from });
  const taken_from = user && {
    user_id: user.id,
    name: displayName({ name: user.name ?? null, address: user.address }),
  };
  tx.appendEvent({
    type: 'item.claimed',
    project_id: item.projectId,
    item_id: item.id,
    version: item.version,
    actor: memberRef(actor),
    expires_at: (item.claimExpiresAt as Date).toISOString(),
    ...(taken_from ? { taken_from } : {}),
  });
}
