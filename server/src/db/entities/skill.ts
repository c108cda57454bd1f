// The people of an entry of a project's `skills` (SK2). Items store the name of the entry, which finds them here.
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';
import { TextArray } from './text-array.ts';

const SkillSchema = defineEntity({
  name: 'Skill',
  tableName: 'skill',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    /** As `skillOf` names the entry. */
    skill: p.text().primary(),
    /** Members and former members: only members count. */
    people: p.type(TextArray).columnType('uuid[]').$type<string[]>(),
  },
});
export class Skill extends SkillSchema.class {}
SkillSchema.setClass(Skill);
