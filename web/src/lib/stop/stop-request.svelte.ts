// The project to be stopped or released: one dialog for every place that has the switch.
import type { Project } from '@countersign/shared/api/projects';

interface StopRequest {
  project: Project | null;
}

export const stopRequest: StopRequest = $state({ project: null });
