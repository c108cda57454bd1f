// The change log of a project: who changed what, when, and the values before and after. Never contains secrets.
import { defineEntity, p } from '@mikro-orm/core';
import type { ChangeAction } from '@countersign/shared/enums';
import { User } from './user.ts';

const ProjectChangeSchema = defineEntity({
  name: 'ProjectChange',
  tableName: 'project_change',
  properties: {
    id: p.uuid().primary(),
    /** Without a foreign key: the log outlives its project. */
    projectId: p.uuid(),
    /** The order of the log, assigned by the database. */
    position: p.bigint('number').autoincrement(),
    /** Text in the database: a new kind of change needs no migration. */
    action: p.text().$type<ChangeAction>(),
    /** The name of the changed object, such as a key or a member. */
    subject: p.text().nullable(),
    /** Its ID, because names are not unique. */
    subjectId: p.uuid().nullable(),
    before: p.json<Record<string, unknown>>().nullable(),
    after: p.json<Record<string, unknown>>().nullable(),
    changedBy: () => p.manyToOne(User).mapToPk().fieldName('changed_by').nullable(),
    changedByName: p.text(),
    changedAt: p.datetime(3),
  },
  indexes: [{ name: 'project_change_newest', properties: ['projectId', 'position'] }],
});
export class ProjectChange extends ProjectChangeSchema.class {}
ProjectChangeSchema.setClass(ProjectChange);
