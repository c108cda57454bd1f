// A started export of learnings: by whom, and of what.
import { defineEntity, p } from '@mikro-orm/core';
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import { Project } from './project.ts';
import { User } from './user.ts';

const LearningExportSchema = defineEntity({
  name: 'LearningExport',
  tableName: 'learning_export',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** Null for an export from the command line, which only the operator can run. */
    exportedBy: () => p.manyToOne(User).mapToPk().fieldName('exported_by').nullable(),
    filter: p.json<ExportFilter>(),
    /** The number of lines of a completed export; null before that, and when it broke off. */
    lines: p.integer().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'learning_export_newest', properties: ['projectId', 'createdAt'] }],
});
export class LearningExport extends LearningExportSchema.class {}
LearningExportSchema.setClass(LearningExport);
