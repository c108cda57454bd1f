// Who “Try it” calls as: the key and the project, typed once for all operations. Memory only, never stored.

export class Access {
  key = $state('');
  projectId = $state('');

  constructor(projectId: string) {
    this.projectId = projectId;
  }
}

/** The text with every `project_id` replaced by this one; unchanged by what can be no id. Works on half-edited JSON too. */
export const withProject = (json: string, projectId: string): string =>
  /^[\w-]+$/.test(projectId) ? json.replaceAll(/("project_id"\s*:\s*)"[^"\n]*"/g, `$1"${projectId}"`) : json;
