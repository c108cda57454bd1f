// Lists the sources from which a project accepts signed submissions.
import { InboundSource } from '../../db/entities/inbound-source.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

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
