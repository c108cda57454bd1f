// The change log of a project: who changed what, when, from what to what. Secrets are never in it.
import { defineEntity, p } from '@mikro-orm/core';
import type { ChangeAction } from '@countersign/shared/api/changes';
import { User } from './user.ts';

const ProjectChangeSchema = defineEntity({
  name: 'ProjectChange',
  tableName: 'project_change',
  properties: {
    id: p.uuid().primary(),
    /** Without a foreign key: the log outlives its project. */
    projectId: p.uuid(),
    /** The order of the log; the database gives it. */
    position: p.bigint('number').autoincrement(),
    /** Text for the database: a new kind of change needs no migration. */
    action: p.text().$type<ChangeAction>(),
    /** What it was done to, as people name it: a key's name, a member's. */
    subject: p.text().nullable(),
    /** Which one it was, when names are not enough: anybody may call themself anything. */
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
