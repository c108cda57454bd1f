// Submits an item or a batch, stored with events and idempotency key in one transaction.
import { keyRef } from '../../domain/access/actor.ts';
import { onlyResult, type Stored, type SubmitResult } from './intake.ts';
import type { SubmitInput } from './new-item.ts';
import type { ApiKeyActor, Services } from '../services.ts';

/** The Idempotency-Key header with the SHA-256 of its body, in hex. */
export interface Idempotency {
  key: string;
  bodySha256: string;
}

export type SubmitRequest = SubmitInput & { idempotency: Idempotency | null };

/**
 * Stores one submission. Errors: those of `Intake.submit`, and `validation_failed` for an impossible deadline (DL6). `replayed`: an earlier request with the same key created the
 * item. The answer follows the commit.
 */
export async function submit(
  services: Services,
  actor: ApiKeyActor,
  { idempotency, ...input }: SubmitRequest,
): Promise<SubmitResult & { replayed: boolean }> {
  const stored = await services.intake.submit({
    projectId: actor.projectId,
    actor: keyRef(actor),
    items: [input],
    idempotency: idempotency && { operation: 'submit', key: idempotency.key, digest: idempotency.bodySha256 },
  });
  return { ...onlyResult(stored), replayed: stored.replayed };
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
