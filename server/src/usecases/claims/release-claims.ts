// Ends claims with their basis: the role of their holder (PM2), or the project being open (AR1).
import type { HeldClaim } from '../../claims/claim-lock.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { mayHold } from '../../domain/access/pool.ts';
import type { ActorRef } from '@countersign/shared/schemas/parts/events';
import type { Role } from '@countersign/shared/enums';
import type { Tx } from '../../db/database.ts';
import { releaseLock } from './claim-store.ts';
import type { MemberActor, Services } from '../services.ts';

interface Ended {
  id: string;
  was_holder: string;
  claim_fence: number;
  version: number;
  live: boolean;
}

/**
 * Ends every claim of the member in the project that `role` may not hold; null means no role. An expired claim ends without an
 * event: it is not shown any more, although its holder could still have decided late. Returns the live ones, whose locks the
 * caller releases after the commit.
 */
export function releaseClaims(
  tx: Tx,
  actor: MemberActor | ActorRef,
  { projectId, userId, role }: { projectId: string; userId: string; role: Role | null },
): Promise<HeldClaim[]> {
  const which = 'and status <> all(?::text[]) and claimed_by = ?';
  return endClaims(tx, actor, { projectId, which, values: [`{${mayHold(role).join(',')}}`, userId] });
}

/** Ends every claim in the project, in the same way (AR1). */
export function releaseAllClaims(tx: Tx, actor: MemberActor, projectId: string): Promise<HeldClaim[]> {
  return endClaims(tx, actor, { projectId, which: 'and claimed_by is not null', values: [] });
}

async function endClaims(
  tx: Tx,
  actor: MemberActor | ActorRef,
  { projectId, which, values }: { projectId: string; which: string; values: unknown[] },
): Promise<HeldClaim[]> {
  const rows = await tx.em.execute<Ended[]>(
    `update item set claimed_by = null, claim_expires_at = null, version = item.version + case when was.live then 1 else 0 end
     from (select id, claimed_by, claim_expires_at is not null as live from item
           where project_id = ? and status in ('queued', 'escalated') ${which}
           order by id for update) was
     where item.id = was.id
     returning item.id, item.claim_fence, item.version, was.claimed_by as was_holder, was.live`,
    [projectId, ...values],
  );
  const live = rows.filter((row) => row.live);
  const by = 'userId' in actor ? memberRef(actor) : actor;
  for (const { id, version } of live) {
    tx.appendEvent({ type: 'claim.released', project_id: projectId, item_id: id, version, actor: by });
  }
  return live.map(({ id, was_holder: userId, claim_fence: fence }) => ({ itemId: id, userId, fence }));
}

/** Releases the locks of claims that ended. A store that is down forgets them when they expire. */
export async function releaseLocks(services: Services, held: readonly HeldClaim[]): Promise<void> {
  await Promise.all(held.map((claim) => releaseLock(services, claim)));
}
