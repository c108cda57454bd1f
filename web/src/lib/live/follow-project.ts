// Keeps a list of a project up to date while a page shows it.
import type { DomainEventOf } from '@countersign/shared/schemas/parts/events';
import type { Resource } from '#lib/api/resource.svelte.ts';
import { live } from './connection.svelte.ts';
import { followChanges } from './follow-changes.ts';

type Part = DomainEventOf<'project.changed'>['changed'][number];

/** Loads `list` now, again whenever that part of the project has changed, and after a gap. Returns the function that stops it. */
export function followProject(list: Resource<unknown>, projectId: string, part: Part): () => void {
  return followChanges(list, (reload) => [
    live.on('project.changed', (event) => event.project_id === projectId && event.changed.includes(part) && reload()),
  ]);
}
