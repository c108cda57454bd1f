// The stop switch (RT7): until somebody releases it, routing decides nothing in the project; people do.
import type { Tx } from '../../db/database.ts';
import { lockIntakeExclusive } from '../../db/submit-batch.ts';
import { requireChange, requirePermission } from '../access/membership.ts';
import { recordChange } from './record-change.ts';
import type { MemberActor, Services } from '../services.ts';

export interface StopInput {
  projectId: string;
  /** Why, in the words of who stops it. */
  note: string | null;
}

/**
 * Stops a project. When this returns, no submission is stored any more that routing decided: not one that comes later, and not
 * one that was under way in another process. One that is stopped already stays as it is. Errors: `not_found`, `forbidden`.
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
    await recordChange(services, { tx, actor }, { projectId, changed: ['stop'], action: 'project.stopped', after });
  });
}

/** Lets routing decide again, from the next submission on; what waits goes on waiting (RT6). Errors: `not_found`, `forbidden`. */
export async function releaseProject(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'stop_project');
    const released = await tx.em.execute<{ id: string }[]>(
      `update project set stopped_at = null, stopped_by = null, stop_note = null
       where id = ? and stopped_at is not null returning id`,
      [projectId],
    );
    if (released.length === 0) return;
    await recordChange(services, { tx, actor }, { projectId, changed: ['stop'], action: 'project.released' });
  });
}

/** Waits for the submissions under way, and lets the next ones wait; nobody waits for who may not stop it. */
async function lockOutIntake({ em }: Tx, actor: MemberActor, projectId: string): Promise<void> {
  const who = { userId: actor.userId, projectId };
  await requirePermission(em, who, 'stop_project');
  await lockIntakeExclusive(em, projectId);
  // For submissions of a process of the version before: those hold the row.
  await em.execute('select id from project where id = ? for update', [projectId]);
  await requireChange(em, who, 'stop_project');
}
