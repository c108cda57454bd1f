// Which project somebody is about to stop or to release: one dialog for every place that has the switch.
import type { Project } from '@countersign/shared/api/projects';

interface Asked {
  project: Project | null;
}

export const asked: Asked = $state({ project: null });
