// Creates, lists and removes the inbound sources of a project; the secret of a source is shown once.
import { encrypt } from '../../crypto/key-ring.ts';
import { makeWebhookSecret } from '../../crypto/webhook-secret.ts';
import { InboundSource } from '../../db/entities/inbound-source.ts';
import { lockProject } from '../../db/lock-project.ts';
import { sourceContext } from '../../domain/webhooks/inbound.ts';
import { COUNT_LIMITS } from '../../limits/policies.ts';
import { notFound, refuseBeyond, requireChange, requirePermission } from '../access/membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * Creates a source; `secret` is stored encrypted. Errors: `not_found`, `forbidden`, `validation_failed` when the project has as
 * many sources as allowed (RL8).
 */
export async function createInboundSource(
  services: Services,
  actor: MemberActor,
  { projectId, name }: { projectId: string; name: string },
): Promise<{ source: InboundSource; secret: string }> {
  const secret = makeWebhookSecret();
  const id = services.ids.uuid();
  return services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_keys');
    const count = await tx.em.count(InboundSource, { projectId, removedAt: null });
    refuseBeyond(count, {
      ...{ most: COUNT_LIMITS.inboundSources, detail: 'Remove a source that nothing uses, then create this one.' },
    });
    const source = {
      id,
      projectId,
      name,
      secret: encrypt(services.keyRing, secret, sourceContext({ id, projectId })),
      createdBy: actor.userId,
      createdAt: services.clock.now(),
      lastUsedAt: null,
      removedAt: null,
    };
    await tx.em.insert(InboundSource, source);
    const change = { action: 'source.made' as const, subject: name, subjectId: id };
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['sources'], ...change });
    return { source: tx.em.map(InboundSource, source), secret };
  });
}

/** Removes a source; a second call has no effect. Errors: `not_found`, `forbidden`. */
export async function removeInboundSource(
  services: Services,
  actor: MemberActor,
  { projectId, sourceId }: { projectId: string; sourceId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await lockProject(tx.em, projectId);
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_keys');
    const source = await tx.em.findOne(InboundSource, { id: sourceId, projectId });
    if (source === null) throw notFound();
    if (source.removedAt) return;
    await tx.em.nativeUpdate(InboundSource, { id: sourceId }, { removedAt: services.clock.now() });
    const change = { action: 'source.removed' as const, subject: source.name, subjectId: sourceId };
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['sources'], ...change });
  });
}

/** The sources that are not removed, newest first; for owners. Errors: `not_found`, `forbidden`. */
export function listInboundSources(
  services: Services,
  actor: MemberActor,
  projectId: string,
): Promise<InboundSource[]> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_keys');
    return em.find(InboundSource, { projectId, removedAt: null }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  });
}
