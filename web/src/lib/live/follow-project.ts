// Keeps a list of a project up to date while a page shows it.
import type { DomainEventOf } from '@countersign/shared/schemas/parts/events';
import type { Resource } from '#lib/api/resource.svelte.ts';
import { live } from './connection.svelte.ts';

type Part = DomainEventOf<'project.changed'>['changed'][number];

/** Loads `list` now, again whenever that part of the project has changed, and after a gap. Returns the function that stops it. */
export function followProject(list: Resource<unknown>, projectId: string, part: Part): () => void {
  void list.load();
  const stops = [
    live.on(
      'project.changed',
      (event) => event.project_id === projectId && event.changed.includes(part) && void list.load(),
    ),
    live.onResync(() => list.load()),
    () => list.cancel(),
  ];
  return () => stops.forEach((stop) => stop());
}
