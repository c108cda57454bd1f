// Every version of a project's settings: items refer to the version that routed them (RT6).
import { defineEntity, p } from '@mikro-orm/core';
import type { ProjectSettings as Settings } from '@countersign/shared/settings';
import { Project } from './project.ts';
import { User } from './user.ts';

const ProjectSettingsSchema = defineEntity({
  name: 'ProjectSettings',
  tableName: 'project_settings',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    version: p.integer().primary(),
    settings: p.json<Settings>(),
    changedBy: () => p.manyToOne(User).mapToPk().fieldName('changed_by').nullable(),
    changedAt: p.datetime(3),
  },
});
export class ProjectSettings extends ProjectSettingsSchema.class {}
ProjectSettingsSchema.setClass(ProjectSettings);
