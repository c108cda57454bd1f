// Which projects of a page have sample data of the demo, and whether the viewer may remove it.
import type { Project } from '@countersign/shared/schemas/projects';

export interface SamplesNotice {
  /** The demo is still making some of it. */
  making: boolean;
  /** The projects that have it. */
  projects: readonly Project[];
  /** Those in which the viewer may remove it now. */
  removable: readonly Project[];
}

/** The notice of a page about one project, or about all of them where `projectId` is null. Null: there is nothing to say. */
export function samplesNotice(list: readonly Project[], projectId: string | null): SamplesNotice | null {
  const having = list.filter(({ samples }) => samples !== null);
  if (!having.some(({ id }) => projectId === null || id === projectId)) return null;
  const removable = having.filter(({ samples, abilities }) => samples === 'ready' && abilities.manage_project === true);
  return { making: having.some(({ samples }) => samples === 'making'), projects: having, removable };
}
