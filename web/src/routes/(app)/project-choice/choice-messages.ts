// Texts of the choice of a project, on every page that shows one project at a time.

export const choiceMessages = {
  label: 'Project',
  failed: "Couldn't load your projects",
  none: 'No projects yet',
  noneText: 'Create one, or ask a project owner to offer you a membership.',
  toProjects: 'Go to projects',
  missing: 'Project not found',
  missingText: "It doesn't exist, or you don't have access. Ask an owner to offer you a membership.",
  forbidden: 'No access',
  forbiddenText: (project: string) =>
    `You are a reviewer in ${project}. This page is for supervisors and owners: ask an owner for access, or choose another project.`,
  toQueue: 'Open queue',
};
