// Stops and releases a project (RT7): while it is stopped, people decide everything.
import type { Tx } from '../../db/database.ts';
import { lockIntakeExclusive } from '../../db/submit-batch.ts';
import { requireChange, requirePermission } from '../access/membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

export interface StopInput {
  projectId: string;
  /** The reason, as given by the person who stops it. */
  note: string | null;
}

/**
 * Stops a project. When this returns, no automatically decided submission is stored any more: neither a later one, nor one in
 * progress in another process. A stopped project is not changed. Errors: `not_found`, `forbidden`.
 */
export async function stopProject(
  services: Services,
  actor: MemberActor,
  { projectId, note }: StopInput,
): Promise<void> {
  await services.db.write(async (tx) => {
    await lockOutIntake(tx, actor, projectId);
    const stopped = await tx.em.execute<{ id: string }[]>(
      'update project set stopped_at = ?, stopped_by = ?, stop_note = ? where id = ? and stopped_at is null returning id',
      [services.clock.now(), actor.userId, note, projectId],
    );
    if (stopped.length === 0) return;
    const after = note === null ? null : { note };
    await recordChange(
      services,
      { tx, by: memberRef(actor) },
      { projectId, changed: ['stop'], action: 'project.stopped', after },
    );
  });
}

/**
 * Lets routing decide again, from the next submission on; items that wait are
 * not changed (RT6). Errors: `not_found`, `forbidden`.
 */
export async function releaseProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'stop_project');
    const released = await tx.em.execute<{ id: string }[]>(
      `update project set stopped_at = null, stopped_by = null, stop_note = null
       where id = ? and stopped_at is not null returning id`,
      [projectId],
    );
    if (released.length === 0) return;
    await recordChange(
      services,
      { tx, by: memberRef(actor) },
      { projectId, changed: ['stop'], action: 'project.released' },
    );
  });
}

/** Waits for submissions in progress and blocks new ones; checks the permission first, because it blocks others. */
async function lockOutIntake({ em }: Tx, actor: MemberActor, projectId: string): Promise<void> {
  const who = { userId: actor.userId, projectId };
  await requirePermission(em, who, 'stop_project');
  await lockIntakeExclusive(em, projectId);
  // For submissions of processes of the previous version, which lock this row instead.
  await em.execute('select id from project where id = ? for update', [projectId]);
  await requireChange(em, who, 'stop_project');
}
