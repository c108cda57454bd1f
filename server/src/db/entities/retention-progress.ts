// The progress of retention along a project's event log, per kind (KE).
import { defineEntity, p } from '@mikro-orm/core';
import { STORED_RETENTION_KINDS } from '../../domain/stored-names.ts';
import { Project } from './project.ts';

const RetentionProgressSchema = defineEntity({
  name: 'RetentionProgress',
  tableName: 'keeping',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary().deleteRule('cascade'),
    kind: p.enum(STORED_RETENTION_KINDS).primary(),
    /** Every event up to here was checked. */
    throughSeq: p.bigint('number').default(0),
    /** How many events were deleted with their items, and when the newest of them was appended; only for `ledger`, the stored name of `items`. */
    eventsDeleted: p.bigint('number').fieldName('facts_gone').default(0),
    goneUntil: p.datetime(3).nullable(),
  },
});
export class RetentionProgress extends RetentionProgressSchema.class {}
RetentionProgressSchema.setClass(RetentionProgress);
