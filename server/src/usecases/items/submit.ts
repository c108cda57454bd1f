// Submits an item or a batch, stored with events and idempotency key in one transaction.
import { keyRef } from '../../domain/access/actor.ts';
import type { Stored, SubmitResult } from './intake.ts';
import type { SubmitInput } from './new-item.ts';
import type { ApiKeyActor, Services } from '../services.ts';

/** The Idempotency-Key header with the SHA-256 of its body, in hex. */
export interface Idempotency {
  key: string;
  bodySha256: string;
}

export type SubmitRequest = SubmitInput & { idempotency: Idempotency | null };

/**
 * Stores one submission. Errors: those of `Intake.submit`. `replayed`: an earlier request with the same key created the
 * item. The answer follows the commit.
 */
export async function submit(
  services: Services,
  actor: ApiKeyActor,
  { idempotency, ...input }: SubmitRequest,
): Promise<SubmitResult & { replayed: boolean }> {
  const { results, replayed } = await services.intake.submit({
    projectId: actor.projectId,
    actor: keyRef(actor),
    items: [input],
    idempotency: idempotency && { operation: 'submit', key: idempotency.key, digest: idempotency.bodySha256 },
  });
  const [only] = results;
  if (only === undefined) throw new Error('The intake returned no item for a submission');
  return { ...only, replayed };
}

/** Stores the valid items of a batch, all or none, in their order. Errors: those of `Intake.submit`. */
export function submitBatch(
  services: Services,
  actor: ApiKeyActor,
  { items, idempotency }: { items: SubmitInput[]; idempotency: Idempotency | null },
): Promise<Stored> {
  return services.intake.submit({
    projectId: actor.projectId,
    actor: keyRef(actor),
    items,
    idempotency: idempotency && { operation: 'batch', key: idempotency.key, digest: idempotency.bodySha256 },
  });
}
