// The credentials of “Try it”: the key and the project, typed once for all operations. In memory only, never stored.

export class Access {
  key = $state('');
  projectId = $state('');

  constructor(projectId: string) {
    this.projectId = projectId;
  }
}

/** The text with every `project_id` replaced by this one; unchanged for an invalid id. Works on unfinished JSON too. */
export const withProject = (json: string, projectId: string): string =>
  /^[\w-]+$/.test(projectId) ? json.replaceAll(/("project_id"\s*:\s*)"[^"\n]*"/g, `$1"${projectId}"`) : json;
