// Records a change of a project: a line of its change log and its event, in the transaction of the change (CL1).
import type { ChangeAction } from '@countersign/shared/enums';
import type { ActorRef, DomainEventOf } from '@countersign/shared/schemas/parts/events';
import type { Clock, Ids } from './clock.ts';
import type { Tx } from './database.ts';
import { ProjectChange } from './entities/project-change.ts';

type Part = DomainEventOf<'project.changed'>['changed'][number];
type Values = Record<string, unknown>;

export interface Change {
  projectId: string;
  /** The parts of the project that pages should reload. */
  changed: Part[];
  action: ChangeAction;
  /** The name of the changed object. */
  subject?: string | null;
  subjectId?: string | null;
  /** The changed values, before and after; never a secret. */
  before?: Values | null;
  after?: Values | null;
  /** Additional fields of the event. */
  event?: Pick<DomainEventOf<'project.changed'>, 'learning' | 'reshaped' | 'placed_from'>;
}

/** Logs a change and appends its event. `by` is who did it: a member, the operator or the system. */
export async function recordChange(
  services: { clock: Clock; ids: Ids },
  { tx, by }: { tx: Tx; by: ActorRef },
  { projectId, changed, ...change }: Change,
): Promise<void> {
  await tx.em.insert(ProjectChange, {
    id: services.ids.uuid(),
    projectId,
    action: change.action,
    subject: change.subject ?? null,
    subjectId: change.subjectId ?? null,
    before: change.before ?? null,
    after: change.after ?? null,
    changedBy: by.kind === 'member' ? by.id : null,
    changedByName: by.name,
    changedAt: services.clock.now(),
  });
  await appendProjectChanged(tx, { projectId, changed, by, ...(change.event && { event: change.event }) });
}

/** Appends the event that parts of a project changed. */
export async function appendProjectChanged(
  tx: Tx,
  { projectId, changed, by, event }: Pick<Change, 'projectId' | 'changed' | 'event'> & { by: ActorRef },
): Promise<void> {
  const settings_version = await versionNow(tx, projectId);
  tx.appendEvent({ type: 'project.changed', project_id: projectId, actor: by, settings_version, changed, ...event });
}

/** Read from the database: the change itself may have increased it without the entity manager. */
async function versionNow({ em }: Tx, projectId: string): Promise<number> {
  const rows = await em.execute<{ settings_version: number }[]>('select settings_version from project where id = ?', [
    projectId,
  ]);
  if (rows[0] === undefined) throw new Error(`There is no project ${projectId}.`);
  return rows[0].settings_version;
}
