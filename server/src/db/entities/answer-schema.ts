// A JSON Schema for answers, stored once per project and digest: items name it by the digest of its text (TS).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const AnswerSchemaSchema = defineEntity({
  name: 'AnswerSchema',
  tableName: 'answer_schema',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    /** SHA-256 of the text, in hex. */
    digest: p.text().primary(),
    /** As it was sent. */
    text: p.text(),
    createdAt: p.datetime(3),
  },
});
export class AnswerSchema extends AnswerSchemaSchema.class {}
AnswerSchemaSchema.setClass(AnswerSchema);
