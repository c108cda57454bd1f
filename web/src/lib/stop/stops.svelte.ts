// The stopped projects a page must name, and the project whose stop or release is being confirmed.
import type { Project } from '@countersign/shared/schemas/projects';

/** One dialog for every place that has the switch. */
interface StopRequest {
  project: Project | null;
}

export const stopRequest: StopRequest = $state({ project: null });

type Stopped = Project & { stopped: NonNullable<Project['stopped']> };

const isStopped = (project: Project): project is Stopped => project.stopped !== null;

interface Address {
  pathname: string;
  searchParams: Pick<URLSearchParams, 'get'>;
}

/** The project of a URL; null when it is about several, or none. */
export function projectIn({ pathname, searchParams }: Address): string | null {
  return /^\/projects\/([^/]+)/.exec(pathname)?.[1] ?? searchParams.get('project');
}

/** RT7: the stopped ones: of the project a page is about; of all of them where it is about no one project. */
export const stopsOn = (list: readonly Project[], projectId: string | null): Stopped[] =>
  list.filter(isStopped).filter(({ id }) => projectId === null || id === projectId);
