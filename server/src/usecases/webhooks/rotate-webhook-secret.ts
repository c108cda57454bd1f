// Rotates webhook secrets in two phases, so that receivers can switch without a gap (docs/spec/webhooks.md#secrets).
import { OVERLAP_HOURS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import { endpointName } from '@countersign/shared/formats/endpoint-name';
import { encrypt } from '../../crypto/key-ring.ts';
import { makeWebhookSecret } from '../../crypto/webhook-secret.ts';
import { overlapEnd, promote, secretContext, secretsOf, settle } from '../../domain/webhooks/signing.ts';
import type { Tx } from '../../db/database.ts';
import { databaseTime } from '../../db/database-time.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { requireChange } from '../access/membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import { type EndpointRef, lockEndpoint } from './lock-endpoint.ts';
import type { MemberActor, Services } from '../services.ts';

/** Without an ID, the endpoint of the settings. */
type OptionalEndpointRef = Pick<EndpointRef, 'projectId'> & Partial<EndpointRef>;

/** The new secret, whether it signs now (`current`) or from `promoteAt` on (`next`). */
export interface Rotation {
  secret: string;
  phase: 'current' | 'next';
  promoteAt: Date | null;
}

/**
 * Creates a new secret, shown once. It waits as `next` for the overlap or until promoted, and the old one signs as long after; only
 * when the current one was never shown does it replace it at once. Errors: `not_found`, `forbidden`, `rotation_in_progress`.
 */
export async function rotateWebhookSecret(
  services: Services,
  actor: MemberActor,
  {
    projectId,
    endpointId = projectId,
    overlapHours = OVERLAP_HOURS.usual,
  }: OptionalEndpointRef & { overlapHours?: number | undefined },
): Promise<Rotation> {
  const secret = makeWebhookSecret();
  const encrypted = encrypt(services.keyRing, secret, secretContext(endpointId));
  return services.db.write(async (tx) => {
    const { endpoint, now } = await openEndpoint(tx, { actor, projectId, endpointId });
    const stored = settle(secretsOf(endpoint), now);
    if (stored.next !== null) {
      throw new Refusal(
        'rotation_in_progress',
        'Promote the new secret first, or wait until it is promoted automatically.',
      );
    }
    const promoteAt = endpoint.revealed ? overlapEnd(now, overlapHours) : null;
    const secrets = endpoint.revealed
      ? { ...stored, next: encrypted, promoteAt, overlapHours }
      : { ...stored, current: encrypted };
    await tx.em.nativeUpdate(WebhookEndpoint, { id: endpointId }, { ...secrets, revealed: true });
    const phase = endpoint.revealed ? 'next' : 'current';
    const after = {
      phase,
      promote_at: promoteAt?.toISOString() ?? null,
      ...(endpoint.revealed && { overlap_hours: overlapHours }),
    };
    const change = { projectId, changed: ['webhook' as const], ...subjectOf(endpoint), after };
    await recordChange(services, { tx, by: memberRef(actor) }, { ...change, action: 'webhook.secret_made' });
    return { secret, phase, promoteAt };
  });
}

/** Promotes the waiting secret. Without one, nothing changes and nothing is logged. Errors: `not_found`, `forbidden`. */
export async function promoteWebhookSecret(
  services: Services,
  actor: MemberActor,
  { projectId, endpointId = projectId }: OptionalEndpointRef,
): Promise<void> {
  await services.db.write(async (tx) => {
    const { endpoint, now } = await openEndpoint(tx, { actor, projectId, endpointId });
    const stored = settle(secretsOf(endpoint), now);
    if (stored.next === null) return;
    const promoted = promote(stored, now);
    await tx.em.nativeUpdate(WebhookEndpoint, { id: endpointId }, promoted);
    const after = { previous_until: promoted.previousUntil?.toISOString() ?? null };
    const change = { projectId, changed: ['webhook' as const], ...subjectOf(endpoint), after };
    await recordChange(services, { tx, by: memberRef(actor) }, { ...change, action: 'webhook.secret_promoted' });
  });
}

/** How the change log names an endpoint: the one of the settings is the webhook of the project, and has no name there. */
export const subjectOf = ({ id, endpointId, description, url }: WebhookEndpoint) =>
  endpointId ? { subject: endpointName({ description, url: url ?? null }), subjectId: id } : {};

/** By the clock of the database: what has expired is overwritten, and another process set when it does. */
async function openEndpoint(tx: Tx, { actor, projectId, endpointId }: { actor: MemberActor } & EndpointRef) {
  await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_webhook');
  return { endpoint: await lockEndpoint(tx, { projectId, endpointId }), now: await databaseTime(tx.em) };
}
