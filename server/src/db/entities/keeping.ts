// How far along a project's ledger what is done with was taken away, per kind (KE).
import { defineEntity, p } from '@mikro-orm/core';
import { KEPT_KINDS } from '../../domain/keeping.ts';
import { Project } from './project.ts';

const KeepingSchema = defineEntity({
  name: 'Keeping',
  tableName: 'keeping',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary().deleteRule('cascade'),
    kind: p.enum(KEPT_KINDS).primary(),
    /** Every fact up to here was looked at. */
    throughSeq: p.bigint('number').default(0),
    /** How many facts went with their items, and when the youngest of them was stated; of `ledger` alone. */
    factsGone: p.bigint('number').default(0),
    goneUntil: p.datetime(3).nullable(),
  },
});
export class Keeping extends KeepingSchema.class {}
KeepingSchema.setClass(Keeping);
