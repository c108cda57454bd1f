// Idempotent submission: the key's row is written in the item's own transaction, so it works between processes and through a crash.
import { Refusal } from '@countersign/shared/errors';
import { sqlState, type Tx } from '../db/database.ts';
import { IdempotencyKey } from '../db/entities/idempotency-key.ts';
import type { ApiKeyActor, Services } from './services.ts';

const OPERATION = 'submit';

/** How long a second request waits for the first one with its key before it is told to come back. */
const IN_FLIGHT_WAIT = '2s';

/**
 * Takes the key for a new item, or finds whose it is (invariant I2). A concurrent twin waits on the unique index until
 * the first commits. Errors: `idempotency_in_progress`, `idempotency_key_reused`.
 */
export async function takeIdempotencyKey(
  services: Services,
  tx: Tx,
  { actor, key, bodySha256 }: { actor: ApiKeyActor; key: string; bodySha256: string },
): Promise<{ taken: boolean; itemId: string }> {
  const itemId = services.ids.uuid();
  const place = { projectId: actor.projectId, operation: OPERATION, key };
  await tx.em.execute(`set local lock_timeout = '${IN_FLIGHT_WAIT}'`);
  const rows = await tx.em
    .execute<{ item_id: string }[]>(
      `insert into idempotency_key (project_id, operation, key, body_sha256, item_id, created_at)
       values (?, ?, ?, ?, ?, ?) on conflict do nothing returning item_id`,
      [place.projectId, place.operation, place.key, bodySha256, itemId, services.clock.now()],
    )
    .catch((error: unknown) => {
      if (sqlState(error) !== '55P03') throw error;
      throw new Refusal('idempotency_in_progress', 'Send the same request again in a second.', { retryAfter: 1 });
    });
  if (rows.length > 0) return { taken: true, itemId };
  const held = await tx.em.findOneOrFail(IdempotencyKey, place);
  if (held.bodySha256 !== bodySha256) {
    throw new Refusal('idempotency_key_reused', 'Use a new Idempotency-Key for another body.');
  }
  return { taken: false, itemId: held.itemId };
}
