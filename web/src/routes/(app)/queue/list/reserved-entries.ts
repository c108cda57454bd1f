// Whether the listed projects reserve items for the user, and for others (SK), by their saved settings.
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';

/** Of the listed projects: whether entries name the user, and whether there are others. */
export function entriesFor(projectId: string | null, me: string): { own: boolean; others: boolean } {
  const listed = (projects.list ?? []).filter(({ id }) => projectId === null || id === projectId);
  const entries = listed.flatMap((project: Project) =>
    // A page can be newer than the service for a moment.
    ((project.skills as Project['skills'] | undefined) ?? []).map(({ people }) =>
      project.skill_people.map(({ user_id }) => user_id).filter((id) => people.includes(id)),
    ),
  );
  return {
    own: entries.some((people) => people.includes(me)),
    others: entries.some((people) => people.length > 0 && !people.includes(me)),
  };
}
