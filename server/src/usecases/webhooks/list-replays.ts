// Lists the bulk replays of a project, newest first.
import { Replay } from '../../db/entities/replay.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Older replays are of no interest. */
const LISTED = 20;

/** Errors: `not_found`, `forbidden`. */
export function listReplays(services: Services, actor: MemberActor, projectId: string): Promise<Replay[]> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'replay_deliveries');
    return em.find(Replay, { projectId }, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: LISTED });
  });
}
