// How far along a project's ledger what is done with was taken away, per kind (KE).
import { defineEntity, p } from '@mikro-orm/core';
import { RETENTION_KINDS } from '../../domain/items/retention.ts';
import { Project } from './project.ts';

const RetentionProgressSchema = defineEntity({
  name: 'RetentionProgress',
  tableName: 'keeping',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary().deleteRule('cascade'),
    kind: p.enum(RETENTION_KINDS).primary(),
    /** Every fact up to here was looked at. */
    throughSeq: p.bigint('number').default(0),
    /** How many facts went with their items, and when the youngest of them was stated; of `ledger` alone. */
    eventsDeleted: p.bigint('number').fieldName('facts_gone').default(0),
    goneUntil: p.datetime(3).nullable(),
  },
});
export class RetentionProgress extends RetentionProgressSchema.class {}
RetentionProgressSchema.setClass(RetentionProgress);
