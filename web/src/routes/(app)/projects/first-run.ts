// The three steps to a first decision, read from what the project does.
import type { Project } from '@countersign/shared/api/projects';

/** A project made a moment ago, with the text of its first key, which no later answer carries. */
export interface FirstProject {
  project: Project;
  apiKey: string | null;
  /** Why there is no key. */
  keyError: unknown;
}

export type Step = 'make' | 'send' | 'decide' | 'done';

/** The step that is open now. Sending is done when anything waits or was decided; deciding when anything was decided. */
export function openStep(project: Project | null): Step {
  if (project === null) return 'make';
  if (project.pulse.decided_today > 0) return 'done';
  return project.pulse.waiting > 0 ? 'decide' : 'send';
}
