// Every change of a project goes through here: one line in its change log, one fact for its pages, in the change's own transaction.
import type { ChangeAction } from '@countersign/shared/api/changes';
import type { FactOf } from '@countersign/shared/events';
import { displayName, memberRef } from '../domain/actor.ts';
import type { Tx } from '../db/database.ts';
import { ProjectChange } from '../db/entities/project-change.ts';
import type { MemberActor, Services } from './services.ts';

type Part = FactOf<'project.changed'>['changed'][number];
type Values = Record<string, unknown>;

export interface Change {
  projectId: string;
  /** The parts of the project that pages should read again. */
  changed: Part[];
  action: ChangeAction;
  /** What it was done to, as people name it. */
  subject?: string | null;
  subjectId?: string | null;
  /** What differs, before and after; never a secret. */
  before?: Values | null;
  after?: Values | null;
}

/** Logs a change and states it. `actor` is who did it. */
export async function recordChange(
  services: Pick<Services, 'clock' | 'ids'>,
  { tx, actor }: { tx: Tx; actor: Pick<MemberActor, 'userId' | 'name' | 'address'> },
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
    changedBy: actor.userId,
    changedByName: displayName(actor),
    changedAt: services.clock.now(),
  });
  const settings_version = await versionNow(tx, projectId);
  tx.record({ type: 'project.changed', project_id: projectId, actor: memberRef(actor), settings_version, changed });
}

/** A user as the log names them. Asked of the database: the entity manager may remember another name. */
export async function nameOf({ em }: Tx, userId: string): Promise<string> {
  const rows = await em.execute<{ name: string | null; address: string }[]>(
    'select name, address from app_user where id = ?',
    [userId],
  );
  if (rows[0] === undefined) throw new Error(`there is no user ${userId}`);
  return displayName(rows[0]);
}

/** Asked of the database: the change itself may have raised it behind the entity manager's back. */
async function versionNow({ em }: Tx, projectId: string): Promise<number> {
  const rows = await em.execute<{ settings_version: number }[]>('select settings_version from project where id = ?', [
    projectId,
  ]);
  if (rows[0] === undefined) throw new Error(`there is no project ${projectId}`);
  return rows[0].settings_version;
}

/** What differs between two values of one shape, as `before` and `after` of a change. */
export function differing(before: object, after: object): { before: Values; after: Values } {
  const [from, to] = [before as Values, after as Values];
  const keys = Object.keys(to).filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]));
  const pick = (values: Values): Values => Object.fromEntries(keys.map((key) => [key, values[key] ?? null]));
  return { before: pick(from), after: pick(to) };
}
