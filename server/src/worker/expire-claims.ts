// Expires claims within about a second of the end of their lease, and updates those that were renewed.
import { SYSTEM } from '../domain/access/actor.ts';
import { isSameClaim, LockStoreDown, type Holder } from '../claims/claim-lock.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';
import { type Part, runEach } from './row-by-row.ts';

const BATCH = 200;

interface Ended {
  id: string;
  project_id: string;
  claimed_by: string;
  claim_fence: number;
}

/** One sweep. An expired claim keeps its fence: its holder may still decide if nobody else claims the item (LC1). */
export async function expireClaimsOnce(services: Services, batchSize = BATCH): Promise<Next> {
  const count = await runEach(
    batchSize,
    (part) => endedClaims(services, part),
    ({ item, lock }) => {
      const claim = { userId: item.claimed_by, fence: item.claim_fence };
      return lock && isSameClaim(lock, claim) ? extend(services, item, lock.leftMs) : expire(services, item);
    },
  );
  return { again: count === batchSize };
}

/** The claims whose lease has ended by the record of the database, with who holds them by that of the lock store. */
async function endedClaims(services: Services, { limit, offset }: Part): Promise<{ item: Ended; lock?: Holder }[]> {
  const ended = await services.db.read((em) =>
    em.execute<Ended[]>(
      `select id, project_id, claimed_by, claim_fence from item where claim_expires_at <= now()
       order by claim_expires_at, id limit ${limit} offset ${offset}`,
    ),
  );
  if (ended.length === 0) return [];
  const held = await holders(
    services,
    ended.map((item) => item.id),
  );
  return ended.map((item) => ({ item, lock: held.get(item.id) }));
}

/** Without the lock store, only the database's record counts. */
async function holders(services: Services, ids: string[]): Promise<Map<string, Holder>> {
  try {
    return await services.claims.holders(ids);
  } catch (error) {
    if (error instanceof LockStoreDown) return new Map();
    throw error;
  }
}

/** Renewals only touch the lock store; this updates the database once per lease, by the clock that ends it there. */
async function extend(services: Services, item: Ended, leftMs: number): Promise<void> {
  await services.db.read((em) =>
    em.execute(
      `update item set claim_expires_at = now() + make_interval(secs => ?)
       where id = ? and claim_fence = ? and claim_expires_at is not null`,
      [leftMs / 1000, item.id, item.claim_fence],
    ),
  );
}

async function expire(services: Services, item: Ended): Promise<void> {
  await services.db.write(async ({ em, appendEvent }) => {
    const rows = await em.execute<{ version: number }[]>(
      `update item set claim_expires_at = null, version = version + 1
       where id = ? and claim_fence = ? and claim_expires_at <= now() returning version`,
      [item.id, item.claim_fence],
    );
    const version = rows[0]?.version;
    if (version === undefined) return;
    appendEvent({ type: 'claim.expired', project_id: item.project_id, item_id: item.id, version, actor: SYSTEM });
  });
}
