// Presents a line of the change log in the wire format.
import type { ProjectChange as WireChange } from '@countersign/shared/api/changes';
import { settingsOf } from '../domain/stored-names.ts';
import type { ProjectChange } from '../db/entities/project-change.ts';

/** The name at that time, not the current one. */
export function presentChange(change: ProjectChange): WireChange {
  return {
    id: change.id,
    action: change.action,
    subject: change.subject ?? null,
    subject_id: change.subjectId ?? null,
    before: change.before ? settingsOf(change.before) : null,
    after: change.after ? settingsOf(change.after) : null,
    changed_by: { user_id: change.changedBy ?? null, name: change.changedByName },
    changed_at: change.changedAt.toISOString(),
  };
}
