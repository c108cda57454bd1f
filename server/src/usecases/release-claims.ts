// The claims of somebody who may no longer hold them end with the role itself, in one transaction (PM2).
import type { HeldClaim } from '../claims/claim-lock.ts';
import { memberRef } from '../domain/actor.ts';
import { mayHold } from '../domain/pool.ts';
import type { Role } from '@countersign/shared/words';
import type { Tx } from '../db/database.ts';
import { dropLock } from './claim-store.ts';
import type { MemberActor, Services } from './services.ts';

interface Ended {
  id: string;
  claim_fence: number;
  version: number;
  live: boolean;
}

/**
 * Ends every claim of the member in the project that `role` may not hold; null is outside the pool. A claim that has
 * lapsed already ends without a fact: nobody sees it, but its holder could still have decided late.
 * Answers the live ones, whose locks are to be dropped after the commit.
 */
export async function releaseClaims(
  tx: Tx,
  actor: MemberActor,
  { projectId, userId, role }: { projectId: string; userId: string; role: Role | null },
): Promise<HeldClaim[]> {
  const rows = await tx.em.execute<Ended[]>(
    `update item set claimed_by = null, claim_expires_at = null, version = item.version + case when was.live then 1 else 0 end
     from (select id, claim_expires_at is not null as live from item
           where project_id = ? and status in ('queued', 'escalated') and status <> all(?::text[]) and claimed_by = ?
           order by id for update) was
     where item.id = was.id
     returning item.id, item.claim_fence, item.version, was.live`,
    [projectId, `{${mayHold(role).join(',')}}`, userId],
  );
  const live = rows.filter((row) => row.live);
  for (const { id, version } of live) {
    tx.record({ type: 'claim.released', project_id: projectId, item_id: id, version, actor: memberRef(actor) });
  }
  return live.map(({ id, claim_fence: fence }) => ({ itemId: id, userId, fence }));
}

/** Drops the locks of claims that ended. A store that is down forgets them by itself. */
export async function dropLocks(services: Services, held: readonly HeldClaim[]): Promise<void> {
  await Promise.all(held.map((claim) => dropLock(services, claim)));
}
