// Which project a page of one project is about: the one in the address, or the first where the person may see the page.
import type { Project } from '@countersign/shared/api/projects';
import type { Ability } from '@countersign/shared/enums';

export type Choice =
  | { kind: 'loading' }
  /** The person has no project at all. */
  | { kind: 'none' }
  /** The address names a project that does not exist for this person. */
  | { kind: 'missing' }
  /** Their role in this project may not see the page. */
  | { kind: 'forbidden'; project: Project }
  | { kind: 'chosen'; project: Project };

/**
 * Decides by the list of projects (null before it has come), the id in the address (null without one) and what the page needs.
 * Without an id it is the first project where the person may; where they may nowhere, the first, which then says so.
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
