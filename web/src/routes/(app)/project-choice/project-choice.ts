// Chooses the project of a page about one project: the one in the URL, or the first where the user may see the page.
import type { Project } from '@countersign/shared/schemas/projects';
import type { Ability } from '@countersign/shared/enums';

export type Choice =
  | { kind: 'loading' }
  /** The user has no project at all. */
  | { kind: 'none' }
  /** The URL names a project that does not exist for this user. */
  | { kind: 'missing' }
  /** The user's role in this project may not see the page. */
  | { kind: 'forbidden'; project: Project }
  | { kind: 'chosen'; project: Project };

/**
 * Decides by the list of projects (null before it has loaded), the id in the URL (null without one) and the page's required
 * ability. Without an id it is the first project where the user has it; where they have it nowhere, the first one as forbidden.
 */
export function chooseProject(list: readonly Project[] | null, asked: string | null, needs: Ability): Choice {
  if (list === null) return { kind: 'loading' };
  if (list.length === 0) return { kind: 'none' };
  const may = (project: Project) => project.abilities[needs];
  const project =
    asked === null ? (list.find(may) ?? list[0]) : list.find(({ id }) => id.toLowerCase() === asked.toLowerCase());
  if (project === undefined) return { kind: 'missing' };
  return { kind: may(project) ? 'chosen' : 'forbidden', project };
}
